// Follows docs/clients/node-red/flow.json as Node-RED does: node node-red.mjs <phone> <message> <reference>
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const flow = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/clients/node-red/flow.json'), 'utf8'))
const env = { get: (name) => process.env[name] }
const [phone, message, reference] = process.argv.slice(2)

/** The node types; each returns one message or null for every output of the node. */
const NODES = {
  inject: () => [{ payload: { phone, message, reference } }],
  function: async (node, msg) => {
    const given = new Function('msg', 'env', node.func)(msg, env)
    return node.outputs === 1 ? [given] : given
  },
  'http request': async (_node, msg) => {
    const { url, method, headers, payload } = msg
    try {
      const answer = await fetch(url, { method, headers, body: JSON.stringify(payload) })
      const text = await answer.text()
      return [{ ...msg, statusCode: answer.status, headers: Object.fromEntries(answer.headers), payload: parse(text) }]
    } catch (error) {
      return [{ ...msg, statusCode: error.cause?.code ?? 'ERROR', payload: String(error) }]
    }
  },
  delay: async (_node, msg) => {
    await setTimeout(msg.delay)
    return [msg]
  },
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

let node = flow.find(({ type }) => type === 'inject')
let msg
while (node.type !== 'debug') {
  const given = await NODES[node.type](node, msg)
  const output = given.findIndex((each) => each !== null)
  msg = given[output]
  const [next] = node.wires[output]
  node = flow.find(({ id }) => id === next)
}
if (node.name.startsWith('Queued')) console.log(msg.payload)
else {
  console.error(msg.payload)
  process.exitCode = 1
}
