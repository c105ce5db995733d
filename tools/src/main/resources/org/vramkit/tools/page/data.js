"use strict";
// Unpacks the data of the page: base64 of a zlib stream, a JSON header and then columns of varints.
const Data = (() => {
  class Input {
    constructor(bytes) {
      this.bytes = bytes;
      this.at = 0;
    }
    // Exact up to 2^53, the precision of numbers.
    next() {
      let b = this.bytes[this.at++];
      if (b < 128) return b;
      let value = b & 127;
      let factor = 128;
      do {
        b = this.bytes[this.at++];
        value += (b & 127) * factor;
        factor *= 128;
      } while (b > 127);
      return value;
    }
    signed() {
      const value = this.next();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    text() {
      const length = this.next();
      const text = new TextDecoder().decode(this.bytes.subarray(this.at, this.at + length));
      this.at += length;
      return text;
    }
    ints(count) {
      const column = new Int32Array(count);
      for (let i = 0; i < count; i++) column[i] = this.next();
      return column;
    }
    numbers(count) {
      const column = new Float64Array(count);
      for (let i = 0; i < count; i++) column[i] = this.next();
      return column;
    }
    // Reads differences to the previous value.
    deltas(count) {
      const column = new Float64Array(count);
      let last = 0;
      for (let i = 0; i < count; i++) column[i] = last += this.signed();
      return column;
    }
    rising(count, unit) {
      const column = new Float64Array(count);
      let last = 0;
      for (let i = 0; i < count; i++) column[i] = unit * (last += this.next());
      return column;
    }
  }

  function decode(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  async function read(base64) {
    const packed = new Blob([decode(base64)]).stream();
    const plain = await new Response(packed.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
    const input = new Input(new Uint8Array(plain));
    const header = JSON.parse(input.text());
    header.recordings.forEach(each => recording(each, input));
    return header;
  }

  // Reads the columns, in the order in which they were written.
  function recording(r, input) {
    const events = r.events;
    const blocks = r.allocations;
    r.streamName = stream => stream === r.otherStreams ? "(others)" : String(stream);
    r.what = new Int32Array(events);
    r.born = new Int32Array(blocks).fill(-1);
    r.died = new Int32Array(blocks).fill(events);
    let next = r.before;
    for (let i = 0; i < events; i++) {
      const back = input.next();
      const block = back === 0 ? next++ : next - back;
      r.what[i] = back === 0 ? block : ~block;
      (back === 0 ? r.born : r.died)[block] = i;
    }
    r.times = input.rising(events, r.unitNanos);
    r.sizes = input.numbers(blocks);
    r.addresses = input.deltas(blocks);
    r.streamOf = input.ints(blocks);
    r.tagOf = input.ints(blocks);
    r.stackOf = input.ints(blocks);
    r.threadOf = input.ints(blocks);
    // Reads each recorded stack, and its frames from the outermost to the owner, without interpreters.
    r.stacks = [];
    r.owners = [];
    for (let i = 0; i < r.stackCount; i++) {
      r.stacks.push(input.ints(input.next()));
      r.owners.push(input.ints(input.next()));
    }
    r.marks = [];
    for (let i = 0; i < r.markCount; i++) {
      r.marks.push({
        kind: r.markKinds[input.next()], event: input.next(), nanos: input.next(), address: input.signed(),
        size: input.next(), stream: input.next(), tag: input.next(), stack: input.next(), thread: input.next(),
      });
    }
    r.lines = [];
    line(r, r.replayed ? "reserved when recorded" : "reserved", r.reservedPoints, r.reservedBefore, "--reserved", input);
    line(r, "reserved by " + r.replayed + ", replayed", r.replayPoints, 0, "--replayed", input);
    totals(r);
  }

  function totals(r) {
    r.totals = new Float64Array(r.events);
    let now = 0;
    for (let i = 0; i < r.before; i++) now += r.sizes[i];
    r.heldBefore = now;
    r.peak = now;
    r.peakEvent = -1;
    for (let i = 0; i < r.events; i++) {
      const what = r.what[i];
      now += what >= 0 ? r.sizes[what] : -r.sizes[~what];
      r.totals[i] = now;
      if (now > r.peak) {
        r.peak = now;
        r.peakEvent = i;
      }
    }
  }

  // Reads reserved memory as steps: the bytes from each event on.
  function line(r, name, points, before, colour, input) {
    const events = Array.from(input.rising(points, 1), event => Math.min(event, Math.max(0, r.events - 1)));
    const bytes = input.deltas(points);
    if (points === 0) return;
    const peak = bytes.reduce((most, each) => Math.max(most, each), before);
    r.lines.push({name, events, bytes, before, colour, peak});
  }

  // Returns the value of a line after an event.
  function bytesAt(line, event) {
    let low = 0;
    let high = line.events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (line.events[middle] <= event) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? line.before : line.bytes[low - 1];
  }

  // Returns the last event at or before a time; -1 if there is none.
  function eventAt(r, nanos) {
    let low = 0;
    let high = r.events;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (r.times[middle] <= nanos) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  return {read, eventAt, bytesAt};
})();
