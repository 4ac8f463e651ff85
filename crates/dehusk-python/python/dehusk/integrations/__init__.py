"""Steps for the pipelines of other libraries. Each module needs its library, and nothing here is imported unless it is asked for."""
