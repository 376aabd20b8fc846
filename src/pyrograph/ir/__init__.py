"""What a source file lowers to: the unit (values, flow, calls, conditions) and its stored form."""
