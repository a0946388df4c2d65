// The processes of the CLI that die, with and without another try of csp's: all on one executor.
import './crashes/killed.ts'
import '../../layers/resilience/retried-claude.ts'
