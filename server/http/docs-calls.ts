export interface ShownCall {
  method: string
  /** Path, and the query if the call needs one. */
  address: string
  /** Undefined: no body. */
  body: unknown
  isFile: boolean
  needsKey: boolean
}

const BASE = 'http://127.0.0.1:7420'
const FILE = 'invoice.pdf'
const FILE_HEADERS = { 'Content-Type': 'application/pdf', 'X-Filename': FILE }

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const indented = (body: unknown): string => JSON.stringify(body, null, 2)

function curl(call: ShownCall): string {
  const { method, address, body, isFile, needsKey } = call
  const verb = method === 'GET' ? '' : `-X ${method} `
  const url = /[?&]/.test(address) ? `"${BASE}${address}"` : `${BASE}${address}`
  const key = needsKey ? ['-H "Authorization: Bearer $KURIR_KEY"'] : []
  const headers = headersOf(call).map(([name, value]) => `-H "${name}: ${value}"`)
  const json = body === undefined ? [] : [`-d ${inShell(JSON.stringify(body))}`]
  const data = isFile ? [`--data-binary @${FILE}`] : json
  return [`curl ${verb}${url}`, ...key, ...headers, ...data].join(' \\\n  ')
}

function javascript(call: ShownCall): string {
  const { method, address, body, isFile, needsKey } = call
  const headers = [
    ...(needsKey ? ["authorization: 'Bearer ' + env.KURIR_KEY"] : []),
    ...headersOf(call).map(([name, value]) => `'${name.toLowerCase()}': '${value}'`),
  ]
  const options = [
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body).replaceAll('\n', '\n  ')}),`]),
    ...(isFile ? [`  body: readFileSync('${FILE}'),`] : []),
  ]
  const imports = [
    ...(isFile ? ["import { readFileSync } from 'node:fs'\n"] : []),
    ...(needsKey ? ["import { env } from 'node:process'\n"] : []),
  ].join('')
  return `${imports}const answer = await fetch('${BASE}${address}', {\n${options.join('\n')}\n})\nconsole.log(answer.status, await answer.text())`
}

const headersOf = ({ body, isFile }: ShownCall): [string, string][] =>
  Object.entries(isFile ? FILE_HEADERS : body === undefined ? {} : { 'Content-Type': 'application/json' })

function literal(value: unknown, language: 'php' | 'python'): string {
  if (value === null) return language === 'php' ? 'null' : 'None'
  if (typeof value === 'boolean') return language === 'php' ? String(value) : value ? 'True' : 'False'
  if (typeof value === 'string')
    return language === 'python' ? JSON.stringify(value) : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, language)).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const [open, colon, close] = language === 'php' ? ['[', ' => ', ']'] : ['{', ': ', '}']
  const members = Object.entries(value).map(
    ([name, each]) => `${literal(name, language)}${colon}${literal(each, language)}`,
  )
  if (members.length === 0) return language === 'php' ? '(object) []' : '{}'
  return `${open}${members.join(', ')}${close}`
}

function php(call: ShownCall): string {
  const { method, address, body, isFile, needsKey } = call
  const headers = [
    ...(needsKey ? [`'Authorization: Bearer ' . getenv('KURIR_KEY')`] : []),
    ...headersOf(call).map(([name, value]) => `'${name}: ${value}'`),
  ]
  return [
    "$context = stream_context_create(['http' => [",
    `  'method' => '${method}',`,
    `  'header' => [${headers.join(', ')}],`,
    ...(body === undefined ? [] : [`  'content' => json_encode(${literal(body, 'php')}),`]),
    ...(isFile ? [`  'content' => file_get_contents('${FILE}'),`] : []),
    "  'ignore_errors' => true,",
    ']]);',
    `$answer = file_get_contents('${BASE}${address}', false, $context);`,
    `echo $http_response_header[0], ' ', $answer;`,
  ].join('\n')
}

function python(call: ShownCall): string {
  const { method, address, body, isFile, needsKey } = call
  const headers = [
    ...(needsKey ? [`"Authorization": "Bearer " + os.environ["KURIR_KEY"]`] : []),
    ...headersOf(call).map(([name, value]) => `"${name}": "${value}"`),
  ]
  const json = body === undefined ? [] : [`data=json.dumps(${literal(body, 'python')}).encode()`]
  const data = isFile ? [`data=open("${FILE}", "rb").read()`] : json
  const parts = [`"${BASE}${address}"`, `method="${method}"`, `headers={${headers.join(', ')}}`, ...data]
  return [
    'import json, os, urllib.request',
    `request = urllib.request.Request(${parts.join(', ')})`,
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.status, answer.read().decode())',
  ].join('\n')
}

/** Writes a call in each language that `/docs` shows. */
export const callsInLanguages = (call: ShownCall): { language: string; code: string }[] => [
  { language: 'curl', code: curl(call) },
  { language: 'PHP', code: php(call) },
  { language: 'Python', code: python(call) },
  { language: 'JavaScript', code: javascript(call) },
]
