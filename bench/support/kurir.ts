import { startBuilt } from './built.ts'
import { reportReady } from './processes.ts'

/** Kurir with one sender that is not linked, so that messages are accepted and wait. */
const [home = ''] = process.argv.slice(2)
const { app, call } = await startBuilt(home)
const { sender_code: linked } = await call('/api/senders', { kind: 'linked', name: 'Bench' })
const mouths = ['fonnte', 'wablas', 'panel', 'waha', 'cloud']
await call('/api/settings', Object.fromEntries(mouths.map((name) => [`compat_${name}`, true])), 'PATCH')
const { key } = await call('/api/keys', { kind: 'global', name: 'Bench' })
const { key: device } = await call('/api/keys', { kind: 'device', name: 'Neighbour', sender_code: 'SND-SANDBOX' })
// Answers each message of the parent with the CPU time so far.
process.on('message', () => process.send?.(process.cpuUsage()))
reportReady({ origin: app.apiUrl(), key, device, linked }, app.close)
