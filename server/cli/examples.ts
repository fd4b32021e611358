import type { Command } from 'commander'
import { COMMAND } from '../lib/command.ts'

/** One line for each command, as a person types it after the program's name. */
const EXAMPLES: readonly string[] = [
  'start',
  'status --json',
  'open',
  'senders list',
  'senders groups SND-7K3QXM',
  'senders add "Toko Budi"',
  'senders add-official "Toko Budi" --file meta.json',
  'senders link SND-7K3QXM',
  'senders check SND-7K3QXM',
  'senders register SND-7K3QXM --pin-file pin.txt',
  'senders callback-setup SND-7K3QXM',
  'senders pause SND-7K3QXM',
  'senders resume SND-7K3QXM',
  'senders remove SND-7K3QXM --yes',
  'keys create till --device SND-SANDBOX',
  'keys list',
  'keys revoke 1',
  'webhooks list',
  'webhooks add http://127.0.0.1:8090/ --events message.delivered,message.failed',
  'webhooks test 1',
  'webhooks discard 1',
  'webhooks remove 1',
  'send 6281234567890 "Your order is ready" --sender SND-SANDBOX --file invoice.pdf',
  'messages list --status failed --limit 50',
  'messages show 0194f2a0-7c1e-7d3a-9b52-3f1c2d4e5a60',
  'messages cancel 0194f2a0-7c1e-7d3a-9b52-3f1c2d4e5a60',
  'texts list',
  'texts add "Order ready" "Dear {name}, your order is ready."',
  'texts remove 0194f2a0-7c1e-7d3a-9b52-3f1c2d4e5a60',
  'sessions list',
  'sessions revoke 1',
  'settings get language',
  'settings set retention_days 90',
  'nodes list',
  'nodes forget till-2',
  'logs --follow',
  'doctor',
  'backup kurir.kurirbackup',
  'backup schedule /media/usb/kurir',
  'restore kurir.kurirbackup',
  'rotate-key',
  'migrate-to database',
  'reopen --yes',
  'completion bash',
  'help keys create',
]

/** Adds its example to the help of each command. */
export function addExamples(command: Command, before: readonly string[] = []): void {
  for (const sub of command.commands) {
    const names = [...before, sub.name()]
    const example = EXAMPLES.find((each) => `${each} `.startsWith(`${names.join(' ')} `))
    addExamples(sub, names)
    if (example !== undefined && (sub.commands.length === 0 || sub.registeredArguments.length > 0))
      sub.addHelpText('after', `\nExample:\n  ${COMMAND} ${example}`)
  }
}
