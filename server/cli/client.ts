import { randomBytes } from 'node:crypto'
import { errorAnswer } from '../contract/errors.ts'
import { proofAnswer } from '../contract/proof.ts'
import { findRunning } from '../data-folder/folder.ts'
import { proofOf } from '../lib/proof.ts'
import { sameSecret } from '../lib/same-secret.ts'
import { CliError, EXIT } from './errors.ts'

interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  json?: unknown
  file?: { content: Blob; passphrase: string }
}

export type Client = ReturnType<typeof createClient>

/** Talks to the Kurir that runs, as its owner. @throws CliError */
export function createClient(homes: readonly string[]) {
  let proven: Promise<Running> | undefined

  async function request(path: string, { method, json, file }: Request = {}): Promise<Response> {
    proven ??= findIn(homes)
    const { url, ownerToken } = await proven
    const body = file?.content ?? (json === undefined ? null : JSON.stringify(json))
    const passphrase = file === undefined ? {} : { 'x-passphrase': encodeURIComponent(file.passphrase) }
    const type = file === undefined ? 'application/json' : 'application/octet-stream'
    const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': type, ...passphrase }
    return ask(url, path, { method: method ?? (body === null ? 'GET' : 'POST'), headers, body })
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

async function ask(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url + path, { ...init, redirect: 'error' })
  } catch (cause) {
    throw new CliError(notRunning(`nothing answers at ${url}`), EXIT.not_running, { cause })
  }
}

export async function refusal(answer: Response): Promise<CliError> {
  const parsed = errorAnswer.safeParse(await answer.json().catch(() => null))
  return new CliError(parsed.success ? parsed.data.message : `Kurir answered with HTTP ${answer.status}.`)
}

interface Running {
  url: string
  ownerToken: string
}

/**
 * After a crash the address of the last run is still there, and another program may have its port: nothing is sent to it
 * before it has shown that it knows the token.
 */
async function prove(running: Running): Promise<Running> {
  const nonce = randomBytes(24).toString('base64url')
  const answer = await ask(running.url, `/api/proof?nonce=${nonce}`, {})
  const parsed = proofAnswer.safeParse(await answer.json().catch(() => null))
  const expected = proofOf(running.ownerToken, Number(new URL(running.url).port), nonce)
  if (parsed.success && sameSecret(parsed.data.data.proof, expected)) return running
  throw new CliError(
    notRunning(`what answers at ${running.url} is not the Kurir of this data folder; it was sent nothing`),
    EXIT.not_running,
  )
}

/** The first that runs. One that ended with the power has left its address behind: another folder may have one that runs. */
async function findIn(homes: readonly string[]): Promise<Running> {
  const failures: unknown[] = []
  for (const home of homes) {
    const found = findRunning(home)
    if (found === undefined) continue
    try {
      return await prove(found)
    } catch (error) {
      failures.push(error)
    }
  }
  throw failures[0] ?? new CliError(notRunning(`looked in ${homes.join(', ')}`), EXIT.not_running)
}

const notRunning = (why: string) =>
  `Kurir does not run (${why}). Open the Kurir window, or start it here with: kurir start. For another data folder set KURIR_HOME.`
