/** A call as it is shown to programmers. */
export interface ShownCall {
  method: string
  path: string
  /** Undefined: it has none. */
  body: unknown
  needsKey: boolean
}

const BASE = 'http://127.0.0.1:7420'

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const indented = (body: unknown): string => JSON.stringify(body, null, 2)

function curl({ method, path, body, needsKey }: ShownCall): string {
  const verb = method === 'GET' ? '' : `-X ${method} `
  const key = needsKey ? ['-H "Authorization: Bearer $KURIR_KEY"'] : []
  const data = body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${inShell(JSON.stringify(body))}`]
  return [`curl ${verb}${BASE}${path}`, ...key, ...data].join(' \\\n  ')
}

function javascript({ method, path, body, needsKey }: ShownCall): string {
  const headers = [
    ...(needsKey ? ["authorization: 'Bearer ' + env.KURIR_KEY"] : []),
    ...(body === undefined ? [] : ["'content-type': 'application/json'"]),
  ]
  const options = [
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body).replaceAll('\n', '\n  ')}),`]),
  ]
  const imports = needsKey ? "import { env } from 'node:process'\n" : ''
  return `${imports}const answer = await fetch('${BASE}${path}', {\n${options.join('\n')}\n})\nconsole.log(answer.status, await answer.text())`
}

/** A value as a literal of PHP or Python. */
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

function php({ method, path, body, needsKey }: ShownCall): string {
  const headers = [
    ...(needsKey ? [`'Authorization: Bearer ' . getenv('KURIR_KEY')`] : []),
    ...(body === undefined ? [] : [`'Content-Type: application/json'`]),
  ]
  return [
    "$context = stream_context_create(['http' => [",
    `  'method' => '${method}',`,
    `  'header' => [${headers.join(', ')}],`,
    ...(body === undefined ? [] : [`  'content' => json_encode(${literal(body, 'php')}),`]),
    "  'ignore_errors' => true,",
    ']]);',
    `$answer = file_get_contents('${BASE}${path}', false, $context);`,
    `echo $http_response_header[0], ' ', $answer;`,
  ].join('\n')
}

function python({ method, path, body, needsKey }: ShownCall): string {
  const headers = [
    ...(needsKey ? [`"Authorization": "Bearer " + os.environ["KURIR_KEY"]`] : []),
    ...(body === undefined ? [] : [`"Content-Type": "application/json"`]),
  ]
  const data = body === undefined ? [] : [`data=json.dumps(${literal(body, 'python')}).encode()`]
  const parts = [`"${BASE}${path}"`, `method="${method}"`, `headers={${headers.join(', ')}}`, ...data]
  return [
    'import json, os, urllib.request',
    `request = urllib.request.Request(${parts.join(', ')})`,
    'with urllib.request.urlopen(request) as answer:',
    '    print(answer.status, answer.read().decode())',
  ].join('\n')
}

/** The same call in each language that `/docs` shows. */
export const callsInLanguages = (call: ShownCall): { language: string; code: string }[] => [
  { language: 'curl', code: curl(call) },
  { language: 'PHP', code: php(call) },
  { language: 'Python', code: python(call) },
  { language: 'JavaScript', code: javascript(call) },
]
