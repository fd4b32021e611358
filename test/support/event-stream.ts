import { once } from 'node:events'
import type { TestApp } from './app.ts'
import { OWNER_TOKEN } from './app.ts'

export interface LiveEntry {
  id: string
  type: string
  data: Record<string, unknown>
}

const field = (block: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''

/** The live events as a window reads them. */
export async function openEvents(app: TestApp, lastEventId?: string) {
  const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const headers = { authorization: `Bearer ${OWNER_TOKEN}`, ...resume }
  const answer = await app.connect('/api/events', { headers })
  const blocks: string[] = []
  let rest = ''
  answer.body.setEncoding('utf8')
  answer.body.on('data', (text: string) => {
    const parts = (rest + text).split('\n\n')
    rest = parts.pop() ?? ''
    blocks.push(...parts)
  })

  async function nextBlock(): Promise<string> {
    while (blocks.length === 0) await once(answer.body, 'data')
    return blocks.shift() ?? ''
  }

  const opening = await nextBlock()
  return {
    status: answer.statusCode,
    headers: answer.headers,
    /** Place of the stream when it was opened. */
    openedAt: field(opening, 'id'),
    nextBlock,
    /** The next event; comments and the opening are passed over. */
    async next(): Promise<LiveEntry> {
      for (;;) {
        const block = await nextBlock()
        const type = field(block, 'event')
        if (type !== '') return { id: field(block, 'id'), type, data: JSON.parse(field(block, 'data')) }
      }
    },
    /** Resolves when the server has ended the stream. */
    ended: () => once(answer.body, 'end'),
    /** As when a window is closed. */
    leave: () => void answer.body.destroy(),
  }
}
