module com.example {
  requires org.vramkit.pool;
}
