import type { z } from 'zod'
import { answerOf, ConnectionLost } from './client.ts'
import { ownHeaders } from './page-token.ts'

/**
 * Uploads a file and checks the answer against its schema. Uses XMLHttpRequest because fetch does
 * not report progress.
 * @param onPercent gets the sent share of the file, 0 to 100
 * @throws {ApiError}; {ConnectionLost}; {UnreadableAnswer}
 */
export function upload<T>(
  schema: z.ZodType<T>,
  path: string,
  file: File,
  headers: Record<string, string>,
  onPercent: (percent: number) => void = () => undefined,
): Promise<T> {
  const request = new XMLHttpRequest()
  request.open('POST', path)
  const all = { 'content-type': 'application/octet-stream', ...ownHeaders(), ...headers }
  for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onPercent(Math.round((100 * loaded) / total))
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(new ConnectionLost(`${path} cannot be reached`))
    request.onload = () => {
      const response = new Response(request.responseText, { status: request.status })
      answerOf(schema, `POST ${path}`, response).then(resolve, reject)
    }
    request.send(file)
  })
}
