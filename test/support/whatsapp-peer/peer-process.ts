// Runs the peer in a process of its own; see process.ts.
import { createCommands } from './commands.ts'
import { startWhatsAppPeer } from './index.ts'
import type { Reply, Request } from './process.ts'

const peer = await startWhatsAppPeer({
  lazy: process.argv.includes('--lazy'),
  fewKeys: process.argv.includes('--few-keys'),
})
const commands: Record<string, (...values: never[]) => Promise<unknown>> = createCommands(peer)
const reply = (message: Reply) => process.send?.(message)

process.on('message', ({ id, name, values }: Request) => {
  const command = commands[name]
  if (!command) return reply({ id, error: `no command ${name}` })
  command(...(values as never[])).then(
    (value) => reply({ id, value }),
    (error: unknown) => reply({ id, error: String(error) }),
  )
})
// The parent process has ended, so there will be no more requests.
process.on('disconnect', () => process.exit())
reply({ id: 0, value: undefined })
