import { request } from './client.ts'

export interface StreamEvent {
  type: string
  data: string
}

/** Parses one block of server-sent events. `data` is empty if the block is a comment. */
export function readEvent(block: string): { type: string; data: string; id: string | undefined } {
  const fields = block.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line)?.slice(1) ?? [])
  const of = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value ?? '')
  return { type: of('event').at(-1) ?? 'message', data: of('data').join('\n'), id: of('id').at(-1) }
}

/**
 * Follows a stream until it ends. Uses fetch because EventSource cannot send headers.
 * @throws {ConnectionLost}; {StreamRefused}; the reason of `signal`
 */
export async function followStream(
  path: string,
  { lastId, signal }: { lastId: string | undefined; signal: AbortSignal },
  on: { open(): void; event(event: StreamEvent): void; id(id: string): void },
): Promise<void> {
  const response = await request(path, { signal, accept: 'text/event-stream', lastId })
  if (!response.ok || response.body === null) throw new StreamRefused(response.status)
  on.open()
  let text = ''
  for await (const part of textOf(response.body)) {
    const blocks = (text + part).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const { id, ...event } = readEvent(block)
      if (id !== undefined) on.id(id)
      if (event.data !== '') on.event(event)
    }
  }
}

/** The server answered with an error. */
export class StreamRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the stream was refused: HTTP ${status}`)
    this.status = status
  }
}

async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    reader.releaseLock()
  }
}
