import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { createRandom } from '../crash/random.ts'
import { OWNER_TOKEN } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { callbacks } from '../support/graph-peer/callbacks.ts'
import { answer as graphAnswer } from '../support/graph-peer/faults.ts'
import { APP_SECRET, SENDER, startShopPeer } from '../support/official.ts'
import { startProgram } from '../support/program.ts'
import { type Phone, startWhatsAppPeer } from '../support/whatsapp-peer/index.ts'
import { type Mouth, mouthsOf } from './mouths.ts'
import { pick, type Random } from './mutate.ts'

export interface FuzzOptions {
  seed: number
  /** The number of the first input: each is made of the seed and its number alone. */
  from?: number
  inputs: number
}

const AT_ONCE = 16
/** A body that is cut off is waited for; the sender hangs up. Milliseconds. */
const HANGS_UP_AFTER = 200
/** The printer takes so many a minute, and reads no more until it is over. */
const ANSWERED_WITHIN = 150_000
/** How often memory is looked at. Inputs. */
const LOOKED_EVERY = 500
/** Between the least of the second quarter and the least of the last. Bytes. */
const MOST_GROWTH = 48 * 1024 * 1024
/** Several: what cannot be read ends a connection, and the next one is waited for. */
const NUMBERS = Array.from({ length: 6 }, (_, n) => `628111111110${n}`)
/** Those who write to them; of too many unreadable messages of one a number reads no more. */
const CUSTOMERS = Array.from({ length: 40 }, (_, n) => `62855555556${n + 10}`)
/** Between looks whether a number is back. Milliseconds. */
const LOOKED_AFTER = 50
const MESSAGE = { phone: '6285555555501', message: 'Terima kasih' }
const PASSPHRASE = 'a passphrase of the tests'

interface Linked {
  code: string
  phone: Phone
}

/** The real program with every mouth open, Meta and WhatsApp beside it. */
async function startWorld() {
  const graph = await startShopPeer()
  onTestFinished(graph.close)
  const peer = await startWhatsAppPeer()
  onTestFinished(peer.close)
  const [metaPort, printerPort] = [await freePort(), await freePort()]
  const program = await startProgram({
    KURIR_GRAPH_URL: graph.url,
    KURIR_WHATSAPP_URL: peer.url,
    KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex,
    KURIR_WEBHOOK_PORT: String(metaPort),
    KURIR_LOG_LEVEL: 'error',
  })
  const data = async <D>(path: string, body?: unknown): Promise<D> => {
    const answer = await program.owner<{ data: D }>(path, body)
    expect(answer.status, path).toBe(200)
    return answer.body.data
  }
  await program.patch('/api/settings', {
    ...{ compat_fonnte: true, compat_wablas: true, compat_panel: true, compat_waha: true, compat_cloud: true },
  })
  await program.patch('/api/printer', { on: true, port: printerPort })
  const { key: device } = await data<{ key: string }>('/api/keys', {
    ...{ kind: 'device', name: 'till', sender_code: 'SND-SANDBOX', rate_limit_per_minute: null },
  })
  const { sender_code: official } = await data<{ sender_code: string }>('/api/senders', SENDER)
  const view = (code: string) => data<{ state: string; qr: string | null }>(`/api/senders/${code}`)
  async function link(number: string): Promise<Linked> {
    const fields = { kind: 'linked', name: number, pacing: { min_seconds: 0, max_seconds: 0 } }
    const { sender_code: code } = await data<{ sender_code: string }>('/api/senders', fields)
    const phone = peer.phone(number)
    await data(`/api/senders/${code}/link`, { method: 'qr' })
    await eventually(async () => (await view(code)).qr !== null)
    await phone.scan((await view(code)).qr ?? '')
    await eventually(async () => (await view(code)).state === 'connected')
    return { code, phone }
  }
  const linked = await Promise.all(NUMBERS.map(link))
  await eventually(async () => (await view(official)).state === 'connected')
  const backup = await fetch(`${program.url}/api/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OWNER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ passphrase: PASSPHRASE }),
  })
  const { key } = await data<{ key: string }>('/api/keys', {
    ...{ kind: 'device', name: 'web', sender_code: official, rate_limit_per_minute: null },
  })
  const mouths = mouthsOf({
    ...{
      device,
      official: { key, code: official },
      owner: OWNER_TOKEN,
      backup: Buffer.from(await backup.arrayBuffer()),
    },
    passphrase: encodeURIComponent(PASSPHRASE),
  })
  const ports = { callers: Number(new URL(program.url).port), meta: metaPort, printer: printerPort }
  const customers = CUSTOMERS.map((number) => peer.recipient(number))
  return { program, graph, linked, customers, mouths, ports }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** Writes bytes and reads until the other side closes. Resolves with what it said. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const parts: Buffer[] = []
    const hangUp = setTimeout(() => socket.end(), HANGS_UP_AFTER)
    const never = setTimeout(() => {
      socket.destroy()
      reject(new Error(`it was not answered within ${ANSWERED_WITHIN} ms`))
    }, ANSWERED_WITHIN)
    socket.on('data', (part: Buffer) => void parts.push(part))
    // Refused in the middle of its bytes.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(hangUp)
      clearTimeout(never)
      resolve(Buffer.concat(parts).toString('latin1'))
    })
    socket.write(bytes)
  })
}

/** What no input may be answered with: 503 and 507 say what is the matter, others do not. */
const IS_FAULT = /^HTTP\/1\.1 5(?!03|07)\d\d |"incident":"[0-9a-f]{8}-|Look for [0-9a-f]{8}-/m
/** Of Meta's faults the caller is told as of a gateway's. */
const IS_FAULT_OF_OURS = /^HTTP\/1\.1 50[016] |"incident":"[0-9a-f]{8}-|Look for [0-9a-f]{8}-/m

function chosen(mouths: readonly Mouth[], random: Random): Mouth {
  let left = random() * mouths.reduce((sum, { weight }) => sum + weight, 0)
  const found = mouths.find(({ weight }) => {
    left -= weight
    return left < 0
  })
  return found ?? (mouths[0] as Mouth)
}

async function metric(world: World, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, connection: 'close' }
  const answer = await fetch(`${world.program.url}/metrics`, { headers })
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await answer.text())?.[1])
}

/** Gives the program changed inputs at every mouth, and looks whether it is still the same afterwards. */
export async function fuzz({ seed, from = 0, inputs }: FuzzOptions): Promise<void> {
  const world = await startWorld()
  const { program, graph, linked, customers, mouths, ports } = world
  const counts = new Map<string, number>()
  const statuses = new Map<string, number>()
  const memory: number[] = []
  const underWay = new Map<number, { mouth: string; bytes: Buffer }>()
  let next = from

  function save(number: number, why: string): string {
    const folder = join(tmpdir(), `kurir-fuzz-${seed}`)
    mkdirSync(folder, { recursive: true })
    const { mouth = '', bytes = Buffer.alloc(0) } = underWay.get(number) ?? {}
    writeFileSync(join(folder, String(number)), bytes)
    return `${why}: FUZZ_SEED=${seed} FUZZ_FROM=${number} FUZZ_INPUTS=1 (${mouth}), saved in ${folder}\n${bytes.toString('latin1').slice(0, 2_000)}`
  }

  let waits = 0
  /**
   * A number that is connected. A stanza may have ended every connection: they come back, and one that carries a
   * message is trusted, so that the next end is not waited for longer.
   */
  async function connected(random: Random): Promise<Linked> {
    const online = () => linked.filter(({ phone }) => phone.isOnline)
    const isBack = online().length === 0
    if (isBack) waits += 1
    while (online().length === 0) await rest(LOOKED_AFTER)
    const found = pick(random, online())
    if (isBack) await program.owner('/send', { ...MESSAGE, sender_code: found.code })
    return found
  }

  async function one(number: number): Promise<void> {
    const random = createRandom(Math.imul(seed, 0x9e3779b1) + number)
    const mouth = chosen(mouths, random)
    const bytes = mouth.input(random)
    underWay.set(number, { mouth: mouth.name, bytes })
    if (mouth.to === 'whatsapp') (await connected(random)).phone.sendBytes(bytes)
    else if (mouth.to === 'customer') {
      const { phone } = await connected(random)
      await pick(random, customers).send(bytes, phone.number)
    } else {
      if (mouth.asks !== undefined) {
        const status = pick(random, [200, 200, 200, 400, 500])
        graph.answerNext(graphAnswer(status, bytes.toString()), mouth.asks.route)
      }
      const answer = await exchange(
        mouth.to === 'graph' ? ports.callers : ports[mouth.to],
        mouth.asks?.request ?? bytes,
      ).catch((error: Error) => {
        throw new Error(save(number, error.message))
      })
      if (program.hasEnded()) throw new Error([...underWay.keys()].map((each) => save(each, 'it ended')).join('\n'))
      if ((mouth.to === 'graph' ? IS_FAULT_OF_OURS : IS_FAULT).test(answer))
        throw new Error(save(number, answer.slice(0, 500)))
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none'
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    counts.set(mouth.name, (counts.get(mouth.name) ?? 0) + 1)
    underWay.delete(number)
  }

  async function work(): Promise<void> {
    while (next < from + inputs) {
      const number = next
      next += 1
      await one(number)
      if (number % LOOKED_EVERY === 0) memory.push(await metric(world, 'nodejs_heap_size_used_bytes'))
    }
  }

  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    const list = (of: Map<string, number>) => [...of].map(([name, count]) => `${name} ${count}`).join(', ')
    console.info(
      `fuzz: seed ${seed}, inputs ${from} to ${next - 1}; ${list(counts)}; statuses ${list(statuses)}; no number connected: ${waits} times`,
    )
    if (memory.length > 0) console.info(`heap in MB: ${memory.map((bytes) => Math.round(bytes / 1e6)).join(' ')}`)
    if (program.output() !== '') console.info(program.output().slice(-20_000))
  }

  // The same process serves every mouth as before.
  expect(program.hasEnded()).toBe(false)
  expect(program.output()).not.toMatch(/unhandled|uncaught|unexpected error|"level":60/i)
  expect((await fetch(`${program.url}/health`)).status).toBe(200)
  // A stanza may have said that a device was taken off.
  const stillLinked = linked.filter(({ phone }) => phone.isLinked).map(({ code }) => code)
  const isRead = async (id: string) =>
    (await program.owner<{ data: { status: string } }>(`/messages/${id}`)).body.data.status === 'read'
  for (const sender_code of ['SND-SANDBOX', ...stillLinked]) {
    const sent = await program.owner<{ data: { id: string } }>('/send', { ...MESSAGE, sender_code })
    expect(sent.status).toBe(200)
    await eventually(() => isRead(sent.body.data.id))
  }
  const meta = callbacks({ to: `http://127.0.0.1:${ports.meta}/waba/webhook`, appSecret: APP_SECRET })
  expect((await meta.status({ wamid: 'wamid.X', status: 'read' })).status).toBe(200)
  const quarter = Math.floor(memory.length / 4)
  // Of fewer the least is no measure of what stays.
  if (quarter < 5) return
  const growth = Math.min(...memory.slice(-quarter)) - Math.min(...memory.slice(quarter, 2 * quarter))
  expect(growth, 'growth of memory in bytes').toBeLessThan(MOST_GROWTH)
}
