// What the strategies ask of the CLI, and what they make of its answers: all on one CLI.
// This one counts workers, so that it comes first.
import './strategies/chat.ts'
import './strategies/calls.ts'
import './strategies/conversation.ts'
import './strategies/injection.ts'
import './strategies/odd-replies.ts'
import './strategies/pages.ts'
import './strategies/paging.ts'
import './strategies/schema.ts'
import './strategies/stop.ts'
import './strategies/style.ts'
import './strategies/tools.ts'
// Both of these lose their login, which ends every process.
import './strategies/faults.ts'
import './strategies/write.ts'
