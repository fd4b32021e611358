import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openStore } from '../../server/store/index.ts'
import type { Arrival } from '../crash/judge.ts'
import { ask, OWNER_TOKEN, type Program, startProgram } from '../crash/program.ts'
import type { Evidence, ReceivedCallback } from '../crash/rounds.ts'
import { type CutWire, startCutWire } from '../support/cut-wire.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { startHttpServer } from '../support/http-server.ts'
import { bookOf, recount } from '../support/recount.ts'
import { startPeerProcess } from '../support/whatsapp-peer/process.ts'
import { keyFileIn } from './key-file.ts'
import { createTill, type Till } from './till.ts'

const CUSTOMERS = ['6285555555501', '6285555555502', '6285555555503']

interface Node {
  program: Program
  wire: CutWire
  port: number
}

interface View {
  state: string
  qr: string | null
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** Programs of their own on one database, each with a wire of its own to it; WhatsApp's server; a receiver of callbacks. */
export async function startCluster(databaseUrl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kurir-cluster-'))
  const keyFile = keyFileIn(folder)
  const nodes = new Map<string, Node>()
  const callbacks: ReceivedCallback[] = []
  const tills: Till[] = []
  const peer = await startPeerProcess({ fewKeys: true })
  const receiver = await startHttpServer(async (req, res) => {
    const { type, data } = JSON.parse(Buffer.concat(await req.toArray()).toString())
    callbacks.push({ webhookId: String(req.headers['webhook-id']), type, messageId: data.id })
    for (const till of tills) till.note(type, data.id)
    res.end()
  })

  const logOf = (name: string): string => join(folder, `${name}.log`)

  const programOf = (name: string): Program => {
    const node = nodes.get(name)
    if (node === undefined) throw new Error(`no node ${name}`)
    return node.program
  }

  async function start(name: string): Promise<Program> {
    const { port } = nodes.get(name) ?? { port: await freePort() }
    const wire = nodes.get(name)?.wire ?? (await startCutWire(Number(new URL(databaseUrl).port)))
    wire.join()
    const url = new URL(databaseUrl)
    url.port = String(wire.port)
    const env = {
      KURIR_DATABASE_URL: url.href,
      KURIR_VAULT_KEY_FILE: keyFile,
      KURIR_NODE: name,
      KURIR_NODE_URL: `http://127.0.0.1:${port}`,
      KURIR_PORT: String(port),
      KURIR_LOG_LEVEL: 'info',
      KURIR_WHATSAPP_URL: peer.url,
      KURIR_WHATSAPP_ROOT_KEY: peer.rootKeyHex,
    }
    const program = await startProgram(join(folder, name), env, logOf(name))
    nodes.set(name, { program, wire, port })
    return program
  }

  // Past every node, one connection at a time; one that the server has ended is made again.
  const admin = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  admin.on('error', () => undefined)

  async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await admin.query<Row>(sql, values)).rows
  }

  return {
    peer,
    callbacks,
    start,
    query,
    programOf,
    names: () => [...nodes.keys()],
    /** Makes a sender and links it; `node` is asked, whichever one holds it. */
    async link(node: string, number: string): Promise<string> {
      const program = programOf(node)
      const { sender_code: code } = await ask<{ sender_code: string }>(program, '/api/senders', {
        kind: 'linked',
        name: `Shop ${number}`,
        pacing: { min_seconds: 0, max_seconds: 0 },
      })
      await ask(program, `/api/senders/${code}/link`, { method: 'qr' })
      let view: View | undefined
      const until = (holds: (view: View) => boolean) =>
        eventually(async () => {
          view = await ask<View>(program, `/api/senders/${code}`)
          return holds(view)
        })
      await until(({ qr }) => qr !== null)
      await peer.call('scan', number, view?.qr ?? '')
      await until(({ state }) => state === 'connected')
      return code
    },
    /** Callbacks of all messages go to the receiver of this test. */
    async listen(node: string): Promise<void> {
      await ask(programOf(node), '/api/webhooks', {
        url: receiver.url,
        events: ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
      })
    },
    /** A program that posts for one sender, one message after the other, to whichever node answers. */
    till(senderCode: string, pause = 0): Till {
      const urls = () => [...nodes.values()].map(({ program }) => program.url)
      const till = createTill({ token: OWNER_TOKEN, senderCode, urls, customers: CUSTOMERS, pause })
      tills.push(till)
      return till
    },
    /** The node that holds a sender. */
    async holderOf(code: string): Promise<string | undefined> {
      const rows = await query<{ node: string }>(
        'SELECT l.node FROM sender_leases l JOIN senders s ON s.id = l.sender_id WHERE s.code = $1 AND l.until > now()',
        [code],
      )
      return rows[0]?.node
    },
    /** Nothing is finished, nothing is closed; it may be started again. */
    kill: (name: string) => programOf(name).kill(),
    cut: (name: string) => nodes.get(name)?.wire.cut(),
    join: (name: string) => nodes.get(name)?.wire.join(),
    /** Until nothing is on its way any more, neither message nor callback. */
    async settled(node: string): Promise<void> {
      const program = programOf(node)
      const waiting = [
        '/messages?status=queued,sending,sent,delivered&limit=1',
        '/api/deliveries?state=pending&limit=1',
      ]
      for (const path of waiting) await eventually(async () => (await ask<unknown[]>(program, path)).length === 0)
    },
    async evidence(faults: number): Promise<Evidence> {
      mkdirSync(join(folder, 'judge'))
      const store = await openStore({ home: join(folder, 'judge'), databaseUrl, node: 'judge', now: Date.now })
      try {
        const messages = await store.messages.after(0, 1_000_000)
        const events = new Map<string, string[]>()
        for (const { id, seq } of messages)
          events.set(
            id,
            (await store.events.ofMessage(seq)).map(({ type }) => type),
          )
        const posted = tills.flatMap((till) => till.posted)
        const figures = { kept: await bookOf(store), anew: await recount(store, messages) }
        return { rounds: faults, posted, messages, events, figures, callbacks, home: folder }
      } finally {
        await store.close()
      }
    },
    /** Everything that is known of every message, for who looks for the cause of a fault. */
    async trace(): Promise<Record<string, unknown>> {
      const messages = await query(
        `SELECT m.seq, m.id, m.sender_id, m.status, m.attempts, m.due_at, m.next_at, m.provider_message_id, (
           SELECT jsonb_agg(to_jsonb(a) - 'message_seq' ORDER BY a.number) FROM message_attempts a WHERE a.message_seq = m.seq
         ) AS tried, (
           SELECT jsonb_agg(jsonb_build_array(e.type, e.at, e.recorded_at) ORDER BY e.seq) FROM events e WHERE e.message_seq = m.seq
         ) AS events FROM messages m ORDER BY m.seq`,
      )
      const leases = await query('SELECT * FROM sender_leases')
      const senders = await query('SELECT * FROM senders')
      const logs = Object.fromEntries([...nodes.keys()].map((name) => [name, readFileSync(logOf(name), 'utf8')]))
      return { messages, leases, senders, logs, journal: await peer.call('journal'), arrivals: await this.arrivals() }
    },
    /** Messages that waited for another try meanwhile, by the number of their row. */
    async steppedAside(): Promise<Set<number>> {
      const rows = await query<{ seq: string }>(
        "SELECT DISTINCT message_seq AS seq FROM message_attempts WHERE outcome = 'not_sent'",
      )
      return new Set(rows.map(({ seq }) => Number(seq)))
    },
    /** What the customers' phones got. */
    async arrivals(): Promise<Arrival[]> {
      const all: Arrival[] = []
      for (const customer of CUSTOMERS) all.push(...(await peer.call('messages', customer)))
      return all
    },
    /** Messages that the customers' phones could not read: two programs went on from one session. */
    async unreadable(): Promise<unknown[]> {
      const all: unknown[] = []
      for (const customer of CUSTOMERS) all.push(...(await peer.call('unreadable', customer)))
      return all
    },
    async close(): Promise<void> {
      for (const { program, wire } of nodes.values()) {
        await program.kill()
        await wire.close()
      }
      await admin.end()
      await receiver.close()
      await peer.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
