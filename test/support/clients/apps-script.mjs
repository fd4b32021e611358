// Runs docs/clients/apps-script/Kurir.gs: node apps-script.mjs <phone> <message> <reference>
// UrlFetchApp is synchronous, so the call is made in a process of its own.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'

const fetching = `
  const { url, method, headers, body } = JSON.parse(await new Response(process.stdin).text())
  const answer = await fetch(url, { method, headers, body })
  console.log(JSON.stringify({ status: answer.status, headers: [...answer.headers], text: await answer.text() }))
`

/** Returns a header's name in its usual spelling, because fetch gives it in lower case. */
const asWritten = (name) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

const UrlFetchApp = {
  fetch(url, { method, contentType, headers, payload, muteHttpExceptions }) {
    if (muteHttpExceptions !== true) throw new Error('Google would throw at a refusal')
    const input = JSON.stringify({ url, method, headers: { ...headers, 'Content-Type': contentType }, body: payload })
    const command = ['--input-type=module', '-e', fetching]
    const answer = JSON.parse(execFileSync(process.execPath, command, { input, stdio: ['pipe', 'pipe', 'ignore'] }))
    return {
      getResponseCode: () => answer.status,
      getHeaders: () => Object.fromEntries(answer.headers.map(([name, value]) => [asWritten(name), value])),
      getContentText: () => answer.text,
    }
  },
}
const { KURIR_URL, KURIR_KEY, KURIR_SENDER } = process.env
const context = createContext({
  UrlFetchApp,
  PropertiesService: { getScriptProperties: () => ({ getProperties: () => ({ KURIR_URL, KURIR_KEY, KURIR_SENDER }) }) },
  Utilities: { sleep: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) },
  console: { log: () => undefined },
})
runInContext(readFileSync(join(import.meta.dirname, '../../../docs/clients/apps-script/Kurir.gs'), 'utf8'), context)
try {
  console.log(context.kurirSend(...process.argv.slice(2)))
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
