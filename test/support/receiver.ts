import type { IncomingMessage, ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { closeAfter, type Lives } from './cleanup.ts'
import { startHttpServer } from './http-server.ts'

export interface Received {
  path: string
  headers: Record<string, string>
  /** The signed body. */
  text: string
  event: { type: string; timestamp: string; data: Record<string, unknown> }
}

export type Reply =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Sends nothing until `release`, then 200. */
  | 'hold'
  /** Begins an answer and ends it only after `release`. */
  | 'drip'
  /** Sends bytes that are no HTTP. */
  | 'garbage'
  /** Closes the connection without an answer. */
  | 'drop'

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/**
 * Starts a receiver of callbacks on a free port of 127.0.0.1. Answers 200 unless the test says
 * otherwise.
 */
export async function startReceiver({ lives = 'test' }: { lives?: Lives } = {}) {
  const received: Received[] = []
  const next: Reply[] = []
  const watchers = new Set<() => void>()
  const held = new Set<() => void>()
  let usual: Reply = { status: 200 }

  function reply(how: Reply, res: ServerResponse): void {
    if (how === 'hold') held.add(() => res.writeHead(200).end())
    else if (how === 'drip') {
      res.writeHead(200).write('.')
      held.add(() => res.end())
    } else if (how === 'garbage') res.socket?.end('\0\u0001 this is not HTTP\r\n\r\n')
    else if (how === 'drop') res.socket?.destroy()
    else res.writeHead(how.status, how.headers).end(how.body)
  }

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const text = Buffer.concat(await req.toArray()).toString()
    const headers = req.headers as Record<string, string>
    received.push({ path: req.url ?? '', headers, text, event: JSON.parse(text) as Received['event'] })
    reply(next.shift() ?? usual, res)
    for (const look of [...watchers]) look()
  }

  const server = await startHttpServer((req, res) => void take(req, res))

  /** Resolves with all callbacks as soon as `enough` holds for them. */
  const until = (enough: (all: Received[]) => boolean): Promise<Received[]> =>
    new Promise((resolve) => {
      const look = () => {
        if (!enough(received)) return
        watchers.delete(look)
        resolve([...received])
      }
      watchers.add(look)
      look()
    })

  closeAfter(lives, server.close)
  return {
    url: `${server.url}/hook`,
    port: server.port,
    /** All callbacks so far, oldest first. */
    received,
    until,
    /** Resolves once there are at least `n` callbacks. */
    calls: (n: number) => until((all) => all.length >= n),
    /** Resolves with the first callback of this type and, if given, about this message. */
    event: async (type: string, messageId?: string): Promise<Received> => {
      const wanted = ({ event }: Received) =>
        event.type === type && (messageId === undefined || event.data.id === messageId)
      const all = await until((calls) => calls.some(wanted))
      return all.find(wanted) as Received
    },
    /** Sets the answers to the next callbacks, in order. */
    answer: (...replies: Reply[]): void => void next.push(...replies),
    /** Sets the answer to all other callbacks. */
    always(how: Reply): void {
      usual = how
    },
    /** Finishes all held answers. */
    release(): void {
      for (const go of held) go()
      held.clear()
    },
    close: server.close,
  }
}

/** Verifies a signature with the Standard Webhooks library. @throws WebhookVerificationError */
export const verify = ({ text, headers }: Received, secret: string): unknown =>
  new Webhook(secret).verify(text, headers)
