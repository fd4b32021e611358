// Follows docs/clients/n8n/workflow.json as n8n does, without n8n's waits between attempts: node
// n8n.mjs <phone> <message> <reference>
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const path = join(import.meta.dirname, '../../../docs/clients/n8n/workflow.json')
const { nodes, connections } = JSON.parse(readFileSync(path, 'utf8'))
const { KURIR_URL, KURIR_KEY } = process.env
const [phone, message, reference] = process.argv.slice(2)

/** Evaluates a parameter: `={{ … }}` is JavaScript, anything else is text. */
const filled = (text, $json) => {
  const [, code] = /^=\{\{(.*)\}\}$/s.exec(text) ?? []
  return code === undefined ? text : new Function('$json', `return (${code})`)($json)
}

async function request({ parameters: given, retryOnFail, maxTries }, $json) {
  const pairs = given.headerParameters.parameters.map(({ name, value }) => [name, filled(value, $json)])
  const url = filled(given.url, $json).replace('http://127.0.0.1:7420', KURIR_URL)
  // The credential that the workflow's note describes.
  const headers = {
    ...Object.fromEntries(pairs),
    Authorization: `Bearer ${KURIR_KEY}`,
    'Content-Type': 'application/json',
  }
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await fetch(url, { method: given.method, headers, body: filled(given.jsonBody, $json) })
      if (answer.ok) return [await answer.json(), null]
      throw new Error(`${answer.status} - ${await answer.text()}`)
    } catch (error) {
      if (!retryOnFail || tries === maxTries) return [null, { error: { message: error.message } }]
    }
  }
}

let node = nodes.find(({ type }) => type.endsWith('.manualTrigger'))
let item
for (;;) {
  const kind = node.type.split('.')[1]
  let output = 0
  if (kind === 'set') item = { phone, message, reference }
  if (kind === 'httpRequest') {
    const given = await request(node, item)
    output = given.findIndex((each) => each !== null)
    item = given[output]
  }
  if (kind === 'stopAndError') {
    console.error(filled(node.parameters.errorMessage, item))
    process.exitCode = 1
  }
  const next = connections[node.name]?.main[output]?.[0].node
  if (next === undefined) break
  node = nodes.find(({ name }) => name === next)
}
if (process.exitCode !== 1) console.log(item.data.id)
