import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { CliError } from './errors.ts'

/** Opens a file of this computer, to be read while it is sent. @throws CliError */
export async function openFile(file: string): Promise<Blob> {
  const refuse = (cause: unknown): never => {
    throw new CliError(`${file} cannot be read.`, undefined, { cause })
  }
  if (!(await stat(file).catch(refuse)).isFile()) throw new CliError(`${file} is no file.`)
  return openAsBlob(file).catch(refuse)
}

/**
 * Builds a form with a file (multipart/form-data). Its bytes are not read yet.
 * @throws CliError where the file cannot be opened
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
