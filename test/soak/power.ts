import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVault, type Vault } from '../../server/lib/vault.ts'
import { openDataKey } from '../../server/settings/data-key.ts'
import { openStore, PLACES, type Store } from '../../server/store/index.ts'
import { OWNER_TOKEN, type Program, startProgram } from '../crash/program.ts'
import { eventually } from '../support/eventually.ts'
import { startHttpServer } from '../support/http-server.ts'
import { type PeerProcess, startPeerProcess } from '../support/whatsapp-peer/process.ts'
import { recording, type Step, stepsIn } from './recorded-disk.ts'

const SHOPS = ['6281111111111', '6281111111112']
/** They only read; the one after them answers. */
const READERS = ['6285555555501', '6285555555502', '6285555555503']
const ANSWERER = '6285555555509'
const PASSPHRASE = 'rahasia warung'
const RANK: Record<string, number> = { queued: 0, sending: 0, sent: 1, delivered: 2, read: 3, failed: 3 }

interface Sender {
  code: string
  kind: 'linked' | 'sandbox'
}

/** Something that Kurir said, and that must be so after a cut: when it was asked and answered, in milliseconds. */
type Claim = { asked: number; answered: number } & (
  | { what: 'message'; id: string; text: string; phone: string }
  | { what: 'status'; id: string; status: string }
  | { what: 'key'; key: string; works: boolean }
  | { what: 'quota'; mb: number }
  | { what: 'file'; id: string; sha256: string }
  | { what: 'sender'; code: string; connects: boolean }
  | { what: 'endpoint'; id: string }
)

export interface Recorded {
  peer: PeerProcess
  root: string
  steps: Step[]
  claims: Claim[]
  linked: string[]
  env: Record<string, string>
  /** What was answered between the two may be gone, and from `answered` on it is. */
  backup: { asked: number; answered: number }
  restore: { asked: number; answered: number; startedAgain: number }
  close(): Promise<void>
}

const now = (): number => performance.timeOrigin + performance.now()
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function call<D>(
  { url }: Program,
  path: string,
  { method, body, bearer = OWNER_TOKEN, headers = {} }: Init = {},
): Promise<{ status: number; data: D; bytes: Buffer; asked: number; answered: number }> {
  const asked = now()
  const isJson = body !== undefined && !Buffer.isBuffer(body)
  const answer = await fetch(url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: `Bearer ${bearer}`,
      ...(isJson ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : new Uint8Array(body as Buffer) }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const answered = now()
  const isText = answer.headers.get('content-type')?.includes('json') === true
  const { data } = (isText ? JSON.parse(bytes.toString()) : {}) as { data: D }
  return { status: answer.status, data, bytes, asked, answered }
}
interface Init {
  method?: string
  body?: unknown
  bearer?: string
  headers?: Record<string, string>
}

async function asked<D>(program: Program, path: string, init?: Init) {
  const answer = await call<D>(program, path, init)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`)
  return answer
}

const until = (program: Program, code: string, holds: (view: { state: string; qr: string | null }) => boolean) =>
  eventually(async () =>
    holds((await asked<{ state: string; qr: string | null }>(program, `/api/senders/${code}`)).data),
  )

/** A first start, two links, five callers, what the owner does, a restore and a new data key: with every step of the disk. */
export async function record(textsOfACaller: number): Promise<Recorded> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kurir-power-')))
  const root = join(folder, 'disk')
  const home = join(root, 'kurir')
  mkdirSync(root)
  const peer = await startPeerProcess()
  const env = { KURIR_WHATSAPP_URL: peer.url, KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex }
  const claims: Claim[] = []
  const receiver = await startHttpServer(async (req, res) => {
    const { type, data } = JSON.parse(Buffer.concat(await req.toArray()).toString())
    const answered = now()
    if (type.startsWith('message.') && data.id !== undefined && RANK[data.status] !== undefined)
      claims.push({ what: 'status', id: data.id, status: data.status, asked: answered, answered })
    res.end()
  })
  const logs: string[] = []
  let texts = 0
  let mb = 1_000

  async function start(): Promise<Program> {
    const log = join(folder, `run-${logs.length}.strace`)
    logs.push(log)
    return startProgram(home, env, undefined, recording(log))
  }

  async function sender(program: Program, kind: Sender['kind'], number?: string): Promise<Sender> {
    const body = { kind, name: `Toko ${number ?? kind}`, pacing: { min_seconds: 0, max_seconds: 0 } }
    const made = await asked<{ sender_code: string }>(program, '/api/senders', { body })
    const code = made.data.sender_code
    claims.push({ what: 'sender', code, connects: false, asked: made.asked, answered: made.answered })
    if (number === undefined) return { code, kind }
    await asked(program, `/api/senders/${code}/link`, { body: { method: 'qr' } })
    await until(program, code, ({ qr }) => qr !== null)
    const { qr } = (await asked<{ qr: string }>(program, `/api/senders/${code}`)).data
    await peer.call('scan', number, qr)
    await until(program, code, ({ state }) => state === 'connected')
    const answered = now()
    claims.push({ what: 'sender', code, connects: true, asked: answered, answered })
    return { code, kind }
  }

  /** Posts, and lets each text be on its way before the next. */
  async function caller(program: Program, key: string, { code, kind }: Sender, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const text = `text ${texts++}`
      const phone = [...READERS, ANSWERER][texts % 4] ?? ANSWERER
      const body = { sender_code: code, phone, message: text, reference_id: text }
      const { data, ...when } = await asked<{ id: string }>(program, '/send', { body, bearer: key })
      claims.push({ what: 'message', id: data.id, text, phone, asked: when.asked, answered: when.answered })
      if (kind === 'linked' && n % 4 === 0)
        await eventually(async () => claims.some((one) => one.what === 'status' && one.id === data.id))
    }
  }

  /** The owner at the window: keys come and go, a setting rises, files come in, customers answer. */
  async function owner(program: Program, count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const body = { kind: 'global', name: `key ${n}` }
      const { data: made, ...when } = await asked<{ id: number; key: string }>(program, '/api/keys', { body })
      claims.push({ what: 'key', key: made.key, works: true, asked: when.asked, answered: when.answered })
      if (n % 2 === 0) {
        const gone = await asked(program, `/api/keys/${made.id}`, { method: 'DELETE' })
        claims.push({ what: 'key', key: made.key, works: false, asked: gone.asked, answered: gone.answered })
      }
      mb += 1
      const set = await asked(program, '/api/settings', { method: 'PATCH', body: { files_quota_mb: mb } })
      claims.push({ what: 'quota', mb, asked: set.asked, answered: set.answered })
      const bytes = randomBytes(30_000)
      const headers = { 'content-type': 'application/octet-stream' }
      const file = await asked<{ file_id: string }>(program, '/files', { body: bytes, headers })
      const { asked: fileAsked, answered } = file
      claims.push({ what: 'file', id: file.data.file_id, sha256: sha256(bytes), asked: fileAsked, answered })
      await peer.call('write', ANSWERER, `answer ${n}`, SHOPS[n % 2] ?? '')
    }
  }

  async function traffic(program: Program, key: string, senders: readonly Sender[], count: number): Promise<void> {
    await Promise.all([...senders.map((one) => caller(program, key, one, count)), owner(program, Math.ceil(count / 4))])
  }

  const first = await start()
  const senders: Sender[] = []
  for (const number of SHOPS) senders.push(await sender(first, 'linked', number))
  senders.push(await sender(first, 'sandbox'), ...senders.slice(0, 2))
  const endpoint = await asked<{ id: string }>(first, '/api/webhooks', {
    body: { url: receiver.url, events: ['message.sent', 'message.delivered', 'message.read', 'message.failed'] },
  })
  claims.push({ what: 'endpoint', id: endpoint.data.id, asked: endpoint.asked, answered: endpoint.answered })
  const { key } = (await asked<{ key: string }>(first, '/api/keys', { body: { kind: 'global', name: 'till' } })).data
  await traffic(first, key, senders, textsOfACaller)
  const backup = await asked(first, '/api/backup', { body: { passphrase: PASSPHRASE } })
  await traffic(first, key, senders, Math.ceil(textsOfACaller / 2))
  const headers = { 'content-type': 'application/octet-stream', 'x-passphrase': encodeURIComponent(PASSPHRASE) }
  const restore = await asked(first, '/api/restore', { body: backup.bytes, headers })
  await first.stop()

  const second = await start()
  const startedAgain = now()
  for (const { code } of senders) await asked(second, `/api/senders/${code}/resume`, { method: 'POST' })
  await traffic(second, key, senders, textsOfACaller)
  await asked(second, '/api/data-key/rotate', { method: 'POST' })
  await second.stop()

  const third = await start()
  await traffic(third, key, senders, Math.ceil(textsOfACaller / 2))
  await third.stop()
  await receiver.close()
  return {
    ...{ peer, root, claims, env },
    steps: await stepsIn(logs, root),
    linked: senders.slice(0, 2).map(({ code }) => code),
    backup: { asked: backup.asked, answered: backup.answered },
    restore: { asked: restore.asked, answered: restore.answered, startedAgain },
    async close() {
      await peer.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

// Between the clocks of both processes.
const DOUBT_MS = 3

/** Whether what was said in that time still counts after a cut at that moment. */
function counts(
  { backup, restore }: Recorded,
  { asked: from, answered }: { asked: number; answered: number },
  cut: number,
) {
  if (answered > cut - DOUBT_MS) return false
  if (cut < restore.asked) return true
  return answered < backup.asked || (from > restore.startedAgain && cut > restore.answered)
}

/** The newest counter of each chain of message keys that is stored. */
async function countersIn(store: Store, vault: Vault): Promise<Map<string, number>> {
  const counters = new Map<string, number>()
  for (const { id: senderId } of store.senders.list()) {
    for (const { id, value } of await store.sessions.keysOf(senderId, 'session')) {
      const { _sessions } = JSON.parse(vault.open(value, PLACES.session(senderId, `session/${id}`)).toString()) as {
        _sessions: Record<string, { _chains: Record<string, { chainKey: { counter: number } }> }>
      }
      for (const { _chains } of Object.values(_sessions))
        for (const [chain, { chainKey }] of Object.entries(_chains)) counters.set(chain, chainKey.counter)
    }
  }
  return counters
}

// What takes longer will never be: a test that waits for it would not say what is wrong.
const LONGEST_MS = 20_000

let sentToCheck = 0

/** Starts Kurir on what a cut has left, and holds it against everything that was answered before. Resolves with what is wrong. */
export async function judge(run: Recorded, home: string, cutAt: number): Promise<string[]> {
  const problems: string[] = []
  const said = run.claims.filter((claim) => counts(run, claim, cutAt))
  const before = await run.peer.call('messageKeys')
  let program: Program
  try {
    program = await startProgram(home, run.env, join(home, '..', 'log'))
  } catch (error) {
    return [`Kurir does not start: ${error}`]
  }
  try {
    await judgeRunning(run, program, said, problems)
  } catch (error) {
    problems.push(String(error))
  } finally {
    await program.stop()
  }
  const { used, usedTwice } = await run.peer.call('messageKeys')
  if (usedTwice.length > before.usedTwice.length)
    problems.push(`${usedTwice.length - before.usedTwice.length} message keys were used twice`)
  const store = await openStore({ home, now: Date.now })
  try {
    await judgeStored(store, home, said, problems)
    if (cutAt - DOUBT_MS > run.restore.answered && (await holdsWhatWasReplaced(run, store)))
      problems.push('a forgotten restore')
    const { bytes } = await openDataKey(home, { ...store, sealed: null }, undefined)
    const counters = await countersIn(store, createVault(bytes))
    // A customer who answers ends the chain, and of those that ended few are kept: the last one of each device counts.
    const isKept = ({ to }: { to: string }) => READERS.some((number) => to.startsWith(number))
    const left = used.filter((key) => isKept(key) && counts(run, { asked: key.at, answered: key.at }, cutAt))
    const newest = new Map(left.map((key) => [`${key.from} ${key.to}`, key]))
    const behind = [...newest.values()].filter(({ chain, counter }) => counter > (counters.get(chain) ?? -1))
    if (behind.length > 0) problems.push(`${behind.length} texts left before their step was on the disk`)
  } catch (error) {
    problems.push(`what is sealed does not open: ${error}`)
  } finally {
    await store.close()
  }
  return problems
}

async function judgeRunning(
  run: Recorded,
  program: Program,
  said: readonly Claim[],
  problems: string[],
): Promise<void> {
  const keys = new Map(said.flatMap((claim) => (claim.what === 'key' ? [[claim.key, claim.works] as const] : [])))
  const goneLater = new Set(run.claims.flatMap((one) => (one.what === 'key' && !one.works ? [one.key] : [])))
  for (const [key, works] of keys) {
    const { status } = await call(program, '/messages?limit=1', { bearer: key })
    if (works ? status !== 200 && !goneLater.has(key) : status !== 401)
      problems.push(`a key: ${status}, works: ${works}`)
  }
  const quota = Math.max(0, ...said.map((claim) => (claim.what === 'quota' ? claim.mb : 0)))
  const { data: settings } = await asked<{ files_quota_mb: number }>(program, '/api/settings')
  if (quota > 0 && settings.files_quota_mb < quota) problems.push(`a setting: ${settings.files_quota_mb}, was ${quota}`)
  for (const claim of said) {
    if (claim.what === 'endpoint') await asked(program, `/api/webhooks/${claim.id}`)
    if (claim.what === 'sender') await asked(program, `/api/senders/${claim.code}`)
  }
  const givenUpAt = now() + LONGEST_MS
  const connecting = said.flatMap((claim) => (claim.what === 'sender' && claim.connects ? [claim.code] : []))
  for (const code of connecting) {
    await asked(program, `/api/senders/${code}/resume`, { method: 'POST' })
    let last = ''
    await until(program, code, ({ state }) => {
      last = state
      return state === 'connected' || now() > givenUpAt
    })
    if (last !== 'connected') throw new Error(`lost: a link, which is ${last}`)
  }
  const ids: { id: string; phone: string; text: string }[] = []
  for (const code of connecting) {
    for (const phone of [...READERS, ANSWERER]) {
      const text = `check ${sentToCheck++}`
      const { data } = await asked<{ id: string }>(program, '/send', {
        body: { sender_code: code, phone, message: text },
      })
      ids.push({ id: data.id, phone, text })
    }
  }
  for (const { id, text } of ids) {
    let last = ''
    await eventually(async () => {
      last = (await asked<{ status: string }>(program, `/messages/${id}`)).data.status
      return last === 'read' || now() > givenUpAt
    })
    if (last !== 'read') problems.push(`${text} is ${last}`)
  }
  for (const phone of [...READERS, ANSWERER]) {
    const read = new Set((await run.peer.call('messages', phone)).map(({ text }) => text))
    for (const { text } of ids.filter((one) => one.phone === phone && !read.has(one.text)))
      problems.push(`${text} cannot be read by ${phone}`)
  }
}

async function holdsWhatWasReplaced({ claims, backup, restore }: Recorded, store: Store): Promise<boolean> {
  const replaced = claims.find(
    (one) => one.what === 'message' && one.asked > backup.answered && one.answered < restore.asked,
  )
  if (replaced?.what !== 'message') throw new Error('nothing was accepted between the backup and its restore')
  return (await store.messages.find({ id: replaced.id })) !== undefined
}

async function judgeStored(store: Store, home: string, said: readonly Claim[], problems: string[]) {
  const messages = await store.messages.after(0, Number.MAX_SAFE_INTEGER)
  const byId = new Map(messages.map((message) => [message.id, message]))
  if (byId.size !== messages.length) problems.push('an id is there twice')
  for (const claim of said) {
    if (claim.what === 'message') {
      const found = byId.get(claim.id)
      if (found === undefined) problems.push(`lost: ${claim.text}`)
      else if (found.body !== claim.text || found.recipient !== claim.phone) problems.push(`changed: ${claim.text}`)
    }
    if (claim.what === 'status') {
      const found = byId.get(claim.id)
      if (found === undefined || (RANK[found.status] ?? 0) < (RANK[claim.status] ?? 0))
        problems.push(`${claim.id} was ${claim.status} and is ${found?.status}`)
    }
    if (claim.what === 'file') {
      const path = join(home, 'files', claim.id)
      const isWhole = existsSync(path) && sha256(readFileSync(path)) === claim.sha256
      if ((await store.uploads.get(claim.id)) === undefined || !isWhole) problems.push(`lost: file ${claim.id}`)
    }
  }
}
