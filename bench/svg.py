"""Draws charts as SVG for light and dark backgrounds."""
import math

WIDTH, HEIGHT = 720, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 164, 40, 46
# The width of a figure above its bar.
LABEL = 24
LIGHT = ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#cf222e", "#57606a"]
DARK = ["#58a6ff", "#f0883e", "#3fb950", "#bc8cff", "#ff7b72", "#8b949e"]


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;")


def style():
    def rules(colours, text, grid):
        series = "".join(f".s{i}{{stroke:{c};fill:{c}}}" for i, c in enumerate(colours))
        return f"text{{fill:{text}}}.grid{{stroke:{grid}}}{series}"

    return (
        "<style>text{font:12px system-ui,sans-serif}.title{font-weight:600;font-size:14px}"
        ".line{fill:none;stroke-width:2}text[class]{stroke:none}"
        + rules(LIGHT, "#1f2328", "#d1d9e0")
        + "@media(prefers-color-scheme:dark){"
        + rules(DARK, "#f0f6fc", "#3d444d")
        + "}</style>"
    )


def short(value):
    """Formats a number with at most three significant digits, and k or M."""
    for limit, sign in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{sign}"
    return f"{value:.3g}"


class Scale:
    """Maps values to heights: from 0, or logarithmically if they span a factor of more than 100."""

    def __init__(self, values):
        self.log = min(values) > 0 and max(values) / min(values) > 100
        if self.log:
            self.low = 10 ** math.floor(math.log10(min(values)))
            self.high = 10 ** math.ceil(math.log10(max(values)))
        else:
            step = 10 ** math.floor(math.log10(max(values) or 1))
            self.low, self.high = 0, step * math.ceil(max(values) / step or 1)

    def at(self, value):
        if self.log:
            part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = value / self.high
        return HEIGHT - BOTTOM - part * (HEIGHT - BOTTOM - TOP)

    def ticks(self):
        if self.log:
            decades = round(math.log10(self.high / self.low))
            return [self.low * 10**i for i in range(decades + 1)]
        return [self.high * i / 4 for i in range(5)]


def frame(title, unit, scale):
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>{style()}",
        f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>',
        f'<text x="{LEFT}" y="34">{escape(unit)}</text>',
    ]
    for tick in scale.ticks():
        y = scale.at(tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    return parts


def legend(parts, names):
    for i, name in enumerate(names):
        y = TOP + 18 * i
        parts.append(f'<rect class="s{i}" x="{WIDTH - RIGHT + 16}" y="{y}" width="10" height="10"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 32}" y="{y + 9}">{escape(name)}</text>')


def category(parts, x, name):
    parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{escape(name)}</text>')


def axis(parts, name):
    x = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{x}" y="{HEIGHT - 8}" text-anchor="middle">{escape(name)}</text></svg>')


def lines(title, unit, x_name, series):
    """Draws a line for each series, name -> {x: value}; all x are drawn at equal distances."""
    places = sorted({x for points in series.values() for x in points})
    scale = Scale([value for points in series.values() for value in points.values()])
    parts = frame(title, unit, scale)
    gap = (WIDTH - LEFT - RIGHT) / max(1, len(places))
    at = {x: LEFT + gap * (i + 0.5) for i, x in enumerate(places)}
    for x in places:
        category(parts, at[x], short(x))
    for i, points in enumerate(series.values()):
        spots = [(at[x], scale.at(points[x])) for x in sorted(points)]
        parts.append(f'<polyline class="line s{i}" style="fill:none" points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in spots) + '"/>')
        parts += [f'<circle class="s{i}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in spots]
    legend(parts, series)
    axis(parts, x_name)
    return "\n".join(parts) + "\n"


def bars(title, unit, x_name, series):
    """Draws a group of bars for each place, with a bar for each series, name -> {place: value}."""
    places = list(dict.fromkeys(x for points in series.values() for x in points))
    scale = Scale([value for points in series.values() for value in points.values()])
    parts = frame(title, unit, scale)
    gap = (WIDTH - LEFT - RIGHT) / max(1, len(places))
    width = gap * 0.8 / len(series)
    for place, name in enumerate(places):
        category(parts, LEFT + gap * (place + 0.5), name)
        for i, points in enumerate(series.values()):
            if name in points:
                x, y = LEFT + gap * (place + 0.1) + width * i, scale.at(points[name])
                height = HEIGHT - BOTTOM - y
                parts.append(f'<rect class="s{i}" x="{x:.1f}" y="{y:.1f}" width="{width - 1:.1f}" height="{height:.1f}">')
                parts.append(f"<title>{escape(name)}, {escape(list(series)[i])}: {points[name]}</title></rect>")
                if width >= LABEL:
                    parts.append(f'<text x="{x + width / 2:.1f}" y="{y - 3:.1f}" text-anchor="middle">{short(points[name])}</text>')
    legend(parts, series)
    axis(parts, x_name)
    return "\n".join(parts) + "\n"
