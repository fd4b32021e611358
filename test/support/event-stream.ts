import { once } from 'node:events'
import type { TestApp } from './app.ts'
import { OWNER_TOKEN } from './app.ts'

export interface LiveEntry {
  id: string
  type: string
  data: Record<string, unknown>
}

const field = (block: string, name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? ''

/** Opens the live events as a window does. */
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
    /** Event id at which the stream was opened. */
    openedAt: field(opening, 'id'),
    nextBlock,
    /** Resolves with the next event; skips comments and the opening. */
    async next(): Promise<LiveEntry> {
      for (;;) {
        const block = await nextBlock()
        const type = field(block, 'event')
        if (type !== '') return { id: field(block, 'id'), type, data: JSON.parse(field(block, 'data')) }
      }
    },
    /** Resolves when the server ends the stream. */
    ended: () => once(answer.body, 'end'),
    /** Leaves as a closed window does. */
    leave: () => void answer.body.destroy(),
  }
}
