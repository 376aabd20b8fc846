"""The unit, to which a source file lowers (values, flow, calls, conditions), and its stored form.

``codes`` are the enumerations and sentinels in columns, ``schema`` defines the tables, ``packed`` says how numbers that
hold two things are taken apart, ``unit`` stores the tables; ``verify``, ``text`` and ``dot`` check and show them, and
``dataflow`` writes loops in the loop-stream dialect.
"""
