"""Many repositories, one store: ``pyrograph fleet`` ([docs/fleet.md](../../../docs/fleet.md)).

| chapter | question |
|---|---|
| ``fleetfile`` | which repositories does a file name, and with which limits? |
| ``targets`` | which trees are to be scanned, how large are they? |
| ``job`` | one tree on a worker: ``checkout`` brings it, ``confined`` limits its process, ``owners`` reads CODEOWNERS |
| ``address`` | how is an address shown that holds a password? |
| ``cluster`` | which worker scans what, and when? |
| ``store/`` | what was found, by whom owned, since when? |
| ``run`` | the three together: targets to workers, outcomes to the store |
| ``pages/`` | the store as pages; ``site`` writes them, ``serve`` answers with them |

A worker imports neither the store nor the pages; whoever reads the store imports no scheduler. Nothing here is imported
by other commands, and importing this package imports none of its chapters.
"""
