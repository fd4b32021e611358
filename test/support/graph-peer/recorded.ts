import type { IncomingMessage } from 'node:http'
import type { RouteName } from './routes.ts'

export interface RecordedRequest {
  route: RouteName | null
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  text: string
  /** The parsed body; `null` when there was none, or no JSON. */
  body: unknown
  /** The message id that this send has, or will have once a held answer is released. */
  wamid: string
}

/** Reads a call to its end. */
export async function recordRequest(
  request: IncomingMessage,
  url: URL,
  route: RouteName | null,
  number: number,
): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return {
    route,
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    text,
    body: parse(text),
    wamid: `wamid.${Buffer.from(`HBgNpeer${number}`).toString('base64')}`,
  }
}

/** The `to` of a send, empty when it has none. */
export function recipientOf({ body }: RecordedRequest): string {
  return typeof body === 'object' && body !== null && 'to' in body ? String(body.to) : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
