import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { errorAnswer } from '../contract/errors.ts'
import { COMMAND } from '../lib/program.ts'
import { callProved, greetAt, NotProved, type Place } from '../lib/proved-call.ts'
import { findRunning } from '../settings/data-folder.ts'
import { CliError, EXIT, systemReason } from './terminal.ts'

interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  json?: unknown
  body?: { content: Blob; type: string; headers?: Record<string, string> }
}

export type Client = ReturnType<typeof createClient>

/**
 * Creates a client that calls the running Kurir as its owner.
 * @param homes data folders in which a running Kurir is looked for, in this order
 */
export function createClient(homes: readonly string[]) {
  let running: Promise<Place> | undefined

  async function ask(path: string, { method, json, body }: Request = {}): Promise<Response> {
    running ??= findIn(homes)
    const place = await running
    const {
      content,
      type,
      headers = {},
    } = body ?? {
      content: json === undefined ? null : JSON.stringify(json),
      type: 'application/json',
    }
    const call = { method: method ?? (content === null ? 'GET' : 'POST'), path, type, headers, body: content }
    return callProved(place, call).catch((error: unknown) => {
      throw asCliError(error, place)
    })
  }

  /** Forgets the address after an error, because a restarted Kurir may have another one. */
  async function request(path: string, options?: Request): Promise<Response> {
    try {
      return await ask(path, options)
    } catch (error) {
      running = undefined
      throw error
    }
  }

  return {
    /** Resolves with any answer, also a refusal. @throws CliError if no answer came */
    request,
    /** Resolves with the `data` of a successful answer. @throws CliError with Kurir's refusal */
    async call<T>(path: string, options?: Request): Promise<T> {
      const answer = await request(path, options)
      if (!answer.ok) throw await refusal(answer)
      return ((await answer.json()) as { data: T }).data
    },
  }
}

export async function refusal(answer: Response): Promise<CliError> {
  const parsed = errorAnswer.safeParse(await answer.json().catch(() => null))
  if (!parsed.success) return new CliError(`Kurir answered with HTTP ${answer.status}.`)
  return new CliError(parsed.data.message, EXIT.refused, { answer: parsed.data })
}

/**
 * Resolves with the first Kurir that runs. All folders are tried, because a Kurir that ended with a
 * power cut has left its address in its folder.
 * @throws CliError if none runs
 */
async function findIn(homes: readonly string[]): Promise<Place> {
  let failure: Error | undefined
  for (const home of homes) {
    const place = placeIn(home)
    if (place === undefined) continue
    try {
      await greetAt(place)
      return place
    } catch (error) {
      failure ??= asCliError(error, place)
    }
  }
  throw failure ?? new CliError(notRunning(`looked in ${homes.join(', ')}`), EXIT.not_running)
}

/** Returns the address in a data folder, which a killed Kurir may have left. @throws CliError */
function placeIn(home: string): Place | undefined {
  try {
    return findRunning(home)
  } catch (cause) {
    const sudo = process.platform === 'win32' ? '' : ` Another account's: sudo KURIR_HOME="${home}" ${COMMAND} status.`
    throw new CliError(`The data folder ${home} cannot be read: ${systemReason(cause)}.${sudo}`, undefined, { cause })
  }
}

/**
 * Returns the error of a call as a sentence. After a crash the address of the last run is still in
 * the folder, and another program may have its port.
 */
function asCliError(cause: unknown, { url }: Place): CliError {
  // Node's Blob throws this if its file changes while it is read.
  if (cause instanceof DOMException && cause.name === 'NotReadableError')
    return new CliError('The file was changed while it was read. Try again when nothing writes to it.')
  if (!(cause instanceof NotProved)) {
    return new CliError(notRunning(`nothing answers at ${url}`), EXIT.not_running, { cause })
  }
  return cause.isUnsent
    ? new CliError(
        notRunning(`what answers at ${url} is not the Kurir of this data folder; it was sent nothing`),
        EXIT.not_running,
      )
    : new CliError(`The answer from ${url} was changed on its way. Look whether it was done before you try again.`)
}

const notRunning = (why: string) =>
  `Kurir does not run (${why}). Open the Kurir window, or start it here with: ${COMMAND} start. For another data folder set KURIR_HOME.`

/** Opens a file of this computer that is read while it is sent. @throws CliError */
export async function openFile(file: string): Promise<Blob> {
  const refuse = (cause: unknown): never => {
    throw new CliError(`${file} cannot be read.`, undefined, { cause })
  }
  if (!(await stat(file).catch(refuse)).isFile()) throw new CliError(`${file} is no file.`)
  return openAsBlob(file).catch(refuse)
}

/**
 * Builds a form with a file (multipart/form-data). The file is read later, while it is sent.
 * @throws CliError if the file cannot be opened
 */
export async function formWith(
  file: string,
  fields: Record<string, string | undefined>,
): Promise<{ content: Blob; type: string }> {
  const boundary = `kurir-${randomUUID()}`
  const head = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${head(`name="${name}"`)}${value}\r\n`],
  )
  const name = basename(file).replace(/["\r\n]/g, encodeURIComponent)
  const parts = [...texts, head(`name="file"; filename="${name}"`), await openFile(file), `\r\n--${boundary}--\r\n`]
  return { content: new Blob(parts), type: `multipart/form-data; boundary=${boundary}` }
}
