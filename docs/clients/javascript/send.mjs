// Sends one message: node send.mjs <phone> <message> <reference> [address or path of a file]
// Needs Node 18 or newer, no package. KURIR_KEY holds the API key.
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Kurir said no: the same call would be refused again. */
class Refused extends Error {}

/**
 * Gives a message to Kurir, and repeats the call until it is certain that Kurir has it. `reference` is your own number
 * for this message (such as INV-1001): Kurir sends it once, however often you ask. Returns Kurir's id of the message.
 */
export async function send({ phone, message, reference, file }) {
  const { KURIR_URL = 'http://127.0.0.1:7420', KURIR_KEY, KURIR_SENDER: sender_code } = process.env
  const headers = { Authorization: `Bearer ${KURIR_KEY}`, 'Idempotency-Key': reference }
  // What is undefined is left out.
  const json = JSON.stringify({ phone, message, file, sender_code, reference_id: reference })
  const request =
    file === undefined || /^https?:/.test(file)
      ? { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: json }
      : { method: 'POST', headers, body: await formOf(JSON.parse(json)) }
  for (const pause of [1, 2, 5, 10, 0]) {
    let seconds = pause
    try {
      const answer = await fetch(`${KURIR_URL}/send`, { ...request, signal: AbortSignal.timeout(60_000) })
      const body = await answer.json()
      if (answer.ok) return body.data.id
      // Too fast, or Kurir is closing: the same call again, a little later.
      if (![429, 500, 502, 503].includes(answer.status)) throw new Refused(`${body.error.code}: ${body.message}`)
      seconds = Math.min(Number(answer.headers.get('retry-after') ?? pause), 60)
    } catch (error) {
      if (error instanceof Refused) throw error
      // No answer, or half of one.
    }
    await setTimeout(seconds * 1000)
  }
  throw new Error(`Kurir at ${KURIR_URL} does not take ${reference} now. Try again later, with the same reference.`)
}

/** The same members as a form, with the file itself. */
async function formOf({ file, ...members }) {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.set(name, value)
  form.set('file', new Blob([await readFile(file)]), basename(file))
  return form
}

const [phone, message, reference, file] = process.argv.slice(2)
if (reference === undefined) {
  console.error('Usage: node send.mjs <phone> <message> <reference> [address or path of a file]')
  process.exit(1)
}
try {
  console.log(await send({ phone, message, reference, file }))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
