import type { IncomingMessage } from 'node:http'
import type { RouteName } from './routes.ts'

export interface RecordedRequest {
  route: RouteName | null
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  text: string
  /** Body parsed from JSON or a form; null if it is neither. */
  body: unknown
  /** Message id that the answer to a send contains. */
  wamid: string
}

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
    body: parse(text, request.headers['content-type'] ?? ''),
    wamid: `wamid.${Buffer.from(`HBgNpeer${number}`).toString('base64')}`,
  }
}

/**
 * Returns a member of the body as text, otherwise of the query, because Graph accepts both. Empty
 * if neither has it.
 */
export function parameterOf({ body, query }: RecordedRequest, name: string): string {
  const value = typeof body === 'object' && body !== null ? (body as { [member: string]: unknown })[name] : undefined
  return value === undefined || value === null ? (query.get(name) ?? '') : String(value)
}

function parse(text: string, type: string): unknown {
  if (type.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
