import { builtProgram } from './built.ts'
import { reportReady } from './processes.ts'

/** Kurir itself, with one sender that is not linked: messages are accepted and wait. */
const [home = ''] = process.argv.slice(2)
const { createApp, createLogger, readConfig } = await builtProgram()
const { config } = readConfig({
  KURIR_HOME: home,
  KURIR_PORT: '0',
  KURIR_WEBHOOK_PORT: '0',
  KURIR_OWNER_TOKEN: 'bench-owner-token-0123456789-0123456789',
})
const app = await createApp(config, { logger: createLogger('silent') })
await app.start()

const call = async (path: string, body: unknown, method = 'POST') => {
  const answer = await fetch(app.apiUrl() + path, {
    method,
    headers: { authorization: `Bearer ${app.ownerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return ((await answer.json()) as { data: Record<string, string> }).data
}
const { sender_code: linked } = await call('/api/senders', { kind: 'linked', name: 'Bench' })
const mouths = ['fonnte', 'wablas', 'panel', 'waha', 'cloud']
await call('/api/settings', Object.fromEntries(mouths.map((name) => [`compat_${name}`, true])), 'PATCH')
const { key } = await call('/api/keys', { kind: 'global', name: 'Bench' })
const { key: device } = await call('/api/keys', { kind: 'device', name: 'Neighbour', sender_code: 'SND-SANDBOX' })
// Each message asks for the processor time so far.
process.on('message', () => process.send?.(process.cpuUsage()))
reportReady({ origin: app.apiUrl(), key, device, linked }, app.close)
