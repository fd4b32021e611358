import { errorAnswer } from '../contract/errors.ts'
import { findRunning } from '../data-folder/folder.ts'
import { CliError, EXIT } from './errors.ts'

interface Request {
  method?: 'GET' | 'POST' | 'DELETE'
  json?: unknown
  file?: { content: Blob; passphrase: string }
}

export type Client = ReturnType<typeof createClient>

/** Talks to the Kurir that runs, as its owner. @throws CliError */
export function createClient(homes: readonly string[]) {
  async function request(path: string, { method, json, file }: Request = {}): Promise<Response> {
    const { url, ownerToken } = running(homes)
    const body = file?.content ?? (json === undefined ? null : JSON.stringify(json))
    const passphrase = file === undefined ? {} : { 'x-passphrase': encodeURIComponent(file.passphrase) }
    const type = file === undefined ? 'application/json' : 'application/octet-stream'
    const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': type, ...passphrase }
    try {
      return await fetch(url + path, { method: method ?? (body === null ? 'GET' : 'POST'), headers, body })
    } catch (cause) {
      throw new CliError(notRunning(`nothing answers at ${url}`), EXIT.not_running, { cause })
    }
  }

  return {
    /** Whatever the answer is, also a refusal. */
    request,
    /** The `data` of a successful answer. @throws CliError with the sentence of Kurir's refusal */
    async call<T>(path: string, options?: Request): Promise<T> {
      const answer = await request(path, options)
      if (!answer.ok) throw await refusal(answer)
      return ((await answer.json()) as { data: T }).data
    },
  }
}

export async function refusal(answer: Response): Promise<CliError> {
  const { message } = errorAnswer.parse(await answer.json())
  return new CliError(message)
}

function running(homes: readonly string[]): { url: string; ownerToken: string } {
  for (const home of homes) {
    const found = findRunning(home)
    if (found !== undefined) return found
  }
  throw new CliError(notRunning(`looked in ${homes.join(', ')}`), EXIT.not_running)
}

const notRunning = (why: string) =>
  `Kurir does not run (${why}). Open the Kurir window, or start it here with: kurir start. For another data folder set KURIR_HOME.`
