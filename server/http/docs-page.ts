import { createHash } from 'node:crypto'
import { CONCERN_CODES } from '../contract/concerns.ts'
import { ERROR_CODES, ERROR_STATUS } from '../contract/errors.ts'
import { FAILURE_CODES } from '../contract/failures.ts'
import { en } from '../words/en/index.ts'
import { callsInLanguages } from './docs-calls.ts'
import type { createOpenApi } from './openapi.ts'

type Document = ReturnType<typeof createOpenApi>
interface Schema {
  $ref?: string
  type?: unknown
  'x-needed'?: boolean
  enum?: unknown[]
  examples?: unknown[]
  const?: unknown
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}
interface Media {
  schema?: Schema
  example?: unknown
}
type Content = Record<string, Media> | undefined
interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}
interface Operation {
  summary: string
  description?: string
  tags: string[]
  operationId: string
  security: Record<string, unknown>[]
  parameters: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { headers?: Record<string, { description: string }>; content?: Record<string, Media> }>
}
interface Route {
  path: string
  method: string
  operation: Operation
}

const html = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
/** A sentence with `code` in it. */
const prose = (text: string): string => html(text).replace(/`([^`]+)`/g, '<code>$1</code>')
const REF = /&#34;#\/components\/schemas\/(\w+)&#34;/g
/** Leads on to the schemas that it refers to. */
const block = (value: unknown): string =>
  `<pre tabindex="0">${html(JSON.stringify(value, null, 2)).replace(REF, '<a href="#schema-$1">$1</a>')}</pre>`
const row = (cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`

const isForOwner = ({ security }: Operation): boolean => security.some(({ ownerToken }) => ownerToken !== undefined)
const isForKeys = ({ security }: Operation): boolean => security.some(({ apiKey }) => apiKey !== undefined)

function keyFor(operation: Operation): string {
  if (operation.security.length === 0) return 'Needs no key.'
  if (!isForKeys(operation)) return 'Needs the owner’s token, on this PC.'
  return `Needs an API key.${isForOwner(operation) ? ' On this PC the owner’s token does as well.' : ''}`
}

/** The name of a type, as HTML; a schema of its own is a link. */
function typeOf({ $ref, type, enum: allowed, const: only, format, items, anyOf }: Schema): string {
  const name = $ref?.split('/').at(-1)
  if (name !== undefined) return `<a href="#schema-${name}">${name}</a>`
  if (Array.isArray(allowed)) return allowed.map((value) => `<code>${html(String(value))}</code>`).join(', ')
  if (only !== undefined) return `<code>${html(String(only))}</code>`
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ')
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items)}`
  const names = Array.isArray(type) ? type.join(' or ') : String(type ?? '')
  return html(format === undefined ? names : `${names} (${format})`)
}

/** Numbers beyond these are those of JavaScript, not a limit of Kurir. */
const isLimit = (value: number | undefined): value is number =>
  value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER

/** The limits and the default of a member, in words. */
function limitsOf(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, anyOf } = schema
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (isLimit(least) && isLimit(most)) return [`${least} to ${most}${unit}`]
    if (isLimit(most)) return [`at most ${most}${unit}`]
    return isLimit(least) && least > 0 ? [`at least ${least}${unit}`] : []
  }
  const own = [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ]
  return [...new Set([...own, ...(anyOf ?? []).map(limitsOf).filter((each) => each !== '')])].join('; ')
}

function parametersOf({ parameters }: Operation): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map((each) =>
    row([
      `<code>${html(each.name)}</code>`,
      `${html(each.in)}${each.required ? ', required' : ''}`,
      typeOf(each.schema),
      html(limitsOf(each.schema)),
      prose(each.description ?? ''),
    ]),
  )
  return `<table><tr><th>parameter</th><th>in</th><th>type</th><th>limits</th><th>meaning</th></tr>${rows.join('')}</table>`
}

/** A table of what an object holds; empty where it is none. */
function membersOf({ properties, required = [] }: Schema, says: 'required' | 'always'): string {
  if (properties === undefined) return ''
  const rows = Object.entries(properties).map(([name, schema]) =>
    row([
      `<code>${html(name)}</code>`,
      typeOf(schema),
      required.includes(name) === (says === 'required') ? (says === 'required' ? 'required' : 'not always') : '',
      ...(says === 'required' ? [html(limitsOf(schema))] : []),
      prose(schema.description ?? ''),
    ]),
  )
  return `<table><tr><th>member</th><th>type</th><th>needed</th>${says === 'required' ? '<th>limits</th>' : ''}<th>meaning</th></tr>${rows.join('')}</table>`
}

type Resolve = (schema: Schema) => Schema

/** @param says what is noted of a member: that it has to be there, or that it may be left out */
function bodyOf(title: string, content: Content, resolve: Resolve, says: 'required' | 'always'): string {
  const { schema, example } = content?.['application/json'] ?? {}
  if (schema === undefined) return ''
  const whole = resolve(schema)
  // The frame of answers is the same everywhere: what differs is in `data`.
  const data = whole.properties?.data
  const inner = says === 'always' && data !== undefined ? resolve(data.items ?? data) : whole
  return `<h4>${title}</h4>${block(example)}${membersOf(inner, says)}`
}

/** Values of a fresh Kurir; the id is that of the message of the reader. */
const SHOWN: Record<string, string> = {
  code: 'SND-SANDBOX',
  id: '01a1feab-e730-7000-9982-5ab6c206febe',
  phone: '6281234567890',
}
const shownValue = ({ name, schema }: Parameter): string => {
  const { examples, enum: allowed } = schema.anyOf?.[0] ?? schema
  return encodeURIComponent(String(SHOWN[name] ?? examples?.[0] ?? allowed?.[0] ?? name))
}

/** The address of a call, with what it needs. */
function addressOf({ path, operation: { parameters } }: Route): string {
  const needed = parameters.filter(
    ({ in: place, required, schema }) => place === 'query' && (required || schema['x-needed'] === true),
  )
  const query = needed.map((each) => `${each.name}=${shownValue(each)}`).join('&')
  const filled = parameters
    .filter((each) => each.in === 'path')
    .reduce((address, each) => address.replace(`{${each.name}}`, shownValue(each)), path)
  return query === '' ? filled : `${filled}?${query}`
}

/** The call in each language: the first is shown, the others by a choice without a script. */
function callsOf(route: Route): string {
  const { method, operation } = route
  const content = operation.requestBody?.content
  const calls = callsInLanguages({
    method: method.toUpperCase(),
    address: addressOf(route),
    body: content?.['application/json']?.example,
    isFile: content?.['application/octet-stream'] !== undefined,
    needsKey: isForKeys(operation),
  })
  const name = `call-${operation.operationId}`
  const tabs = calls.map(
    ({ language, code }, place) =>
      `<label><input type="radio" name="${name}"${place === 0 ? ' checked' : ''}> ${language}</label><pre tabindex="0">${html(code)}</pre>`,
  )
  return `<div class="calls">${tabs.join('')}</div>`
}

const idOf = ({ operation }: Route): string => operation.operationId

function section(route: Route, resolve: Resolve): string {
  const { method, path, operation } = route
  const answer = operation.responses['200'] ?? operation.responses['201']
  const errors = Object.keys(operation.responses).filter((status) => Number(status) >= 400)
  const links = errors.map((status) => `<a href="#error-${status}">${status}</a>`).join(', ')
  const headers = Object.entries(answer?.headers ?? {}).map(([name, { description }]) =>
    row([`<code>${html(name)}</code>`, prose(description)]),
  )
  return `<section id="${idOf(route)}"><h3><b>${method.toUpperCase()}</b> <code>${html(path)}</code></h3>
<p>${prose(operation.summary)}. ${keyFor(operation)}</p>
${operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`}
${isForKeys(operation) ? callsOf(route) : ''}
${parametersOf(operation)}${bodyOf('Request', operation.requestBody?.content, resolve, 'required')}${bodyOf('Answer', answer?.content, resolve, 'always')}
${headers.length === 0 ? '' : `<table><tr><th>header of the answer</th><th>meaning</th></tr>${headers.join('')}</table>`}
${links === '' ? '' : `<p>Errors: ${links}.</p>`}</section>`
}

function errorsOf(example: unknown): string {
  const statuses = [...new Set(Object.values(ERROR_STATUS))].toSorted((a, b) => a - b)
  const rows = statuses.flatMap((status) =>
    ERROR_CODES.filter((code) => ERROR_STATUS[code] === status).map((code, place) => {
      const first = place === 0 ? `<span id="error-${status}">${status}</span>` : String(status)
      return row([first, `<code>${code}</code>`, prose(en.refusals[code])])
    }),
  )
  return `<h2 id="errors">Errors</h2><p>Decide by <code>error.code</code>; <code>message</code> is for people. 429 and 503 have the header
<code>Retry-After</code>: the seconds to wait.</p>${block(example)}
<table><tr><th>status</th><th>code</th><th>what to do</th></tr>${rows.join('')}</table>`
}

const FAILURES = `<h2 id="failures">Why a message failed</h2><p>Codes in <code>error</code> of a message and of its callback.</p>
<table><tr><th>code</th><th>meaning</th><th>what to do</th></tr>${FAILURE_CODES.map((code) => row([`<code>${code}</code>`, prose(en.failures[code].message), prose(en.failures[code].hint)])).join('')}</table>`

const CONCERNS = `<h2 id="concerns">What needs the owner</h2><p>Codes in <code>concerns</code> of <code>GET /health</code>.</p>
<table><tr><th>code</th><th>what to do</th></tr>${CONCERN_CODES.map((code) => row([`<code>${code}</code>`, prose(en.concerns[code].advice)])).join('')}</table>`

function schemasOf(schemas: Record<string, unknown>): string {
  const each = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details><summary><code>${html(name)}</code></summary><div id="schema-${html(name)}">${block(schema)}</div></details>`,
  )
  return `<h2 id="schemas">Schemas</h2>${each.join('')}`
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2430;background:#fff}
pre{background:#f3f4f6;padding:1rem;overflow:auto;font-size:13px}code,td{overflow-wrap:anywhere}h3,p{overflow-wrap:anywhere}td:first-child code{overflow-wrap:normal}section{border-top:1px solid #d8dce3;padding:.5rem 0}
code{font-size:.95em}summary{cursor:pointer;padding:.25rem 0}table{border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:.15rem .75rem .15rem 0;vertical-align:top}
nav ul{columns:2;font-size:14px;list-style:none;padding:0}h4{margin:.75rem 0 .25rem}
.calls{display:flex;flex-wrap:wrap;gap:0 1rem}.calls pre{display:none;order:1;width:100%;box-sizing:border-box}.calls label:has(:checked)+pre{display:block}
#search{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;position:sticky;top:.5rem}[hidden]{display:none!important}
@media(max-width:48rem){nav ul{columns:1}nav a{overflow-wrap:anywhere}table{table-layout:fixed;width:100%}td:first-child code{overflow-wrap:anywhere}}
@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#14171c}pre{background:#1e232b}section{border-color:#333a45}a{color:#8ab4f8}}`

const REFUSED = {
  success: false,
  message: 'Please correct: message: must not be empty without a file',
  error: {
    code: 'invalid_request',
    details: [{ field: 'message', code: 'empty_without_file', message: 'must not be empty without a file' }],
  },
}

/** Hides the calls that have none of the words that are typed. The page is whole without it. */
const SEARCH = `const box=document.getElementById('search'),folded=document.getElementById('of-owner');box.hidden=false
box.addEventListener('input',()=>{const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);folded.open=words.length>0
for(const each of document.querySelectorAll('section'))each.hidden=!words.every((word)=>each.textContent.toLowerCase().includes(word))})`

/** The policy under which the page is served: its own style and its own script, nothing else. */
export const DOCS_POLICY = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash('sha256').update(SEARCH).digest('base64')}'; frame-ancestors 'none'`

/** The interface as one page that needs nothing from elsewhere. What programs call comes first. */
export function renderDocs(document: Document): string {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation: operation as Operation })),
  )
  const schemas = document.components.schemas as Record<string, Schema>
  const resolve: Resolve = (schema) => schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema
  const isWindows = ({ path }: Route): boolean => path.startsWith('/api/')

  function part(isIn: (route: Route) => boolean): { contents: string; sections: string } {
    const groups = document.tags
      .map(({ name, description }) => ({
        name,
        description,
        routes: routes.filter((route) => route.operation.tags.includes(name) && isIn(route)),
      }))
      .filter((group) => group.routes.length > 0)
    const linkTo = (route: Route) =>
      `<li><a href="#${idOf(route)}">${route.method.toUpperCase()} ${html(route.path)}</a></li>`
    return {
      contents: groups
        .map((group) => `<p><b>${html(group.name)}</b></p><ul>${group.routes.map(linkTo).join('')}</ul>`)
        .join(''),
      sections: groups
        .map(
          (group) =>
            `<h3>${html(group.name)}</h3><p>${prose(group.description)}</p>${group.routes.map((route) => section(route, resolve)).join('')}`,
        )
        .join(''),
    }
  }
  const programs = part((route) => !isWindows(route))
  const owner = part(isWindows)
  const { post: callback } = document.webhooks.callback
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kurir API</title><style>${STYLE}</style></head><body><main><h1>Kurir API ${html(document.info.version)}</h1>
<p>${prose(document.info.description)} Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
<p>Programs send <code>Authorization: Bearer &lt;API_KEY&gt;</code>; a key is made in the window. See also the <a href="#callback">callback</a>,
the <a href="#errors">errors</a>, <a href="#failures">why a message failed</a>, <a href="#concerns">what needs the owner</a>, the <a href="#schemas">schemas</a> and
<a href="#owner">what the window calls</a>.</p>
<input id="search" type="search" placeholder="Search the calls" aria-label="Search the calls" hidden>
<nav aria-label="Calls of programs">${programs.contents}</nav>
<h2 id="programs">For programs</h2>${programs.sections}
<h2 id="callback">Callback</h2><p>${prose(callback.summary)}: headers ${callback.parameters.map(({ name }) => `<code>${name}</code>`).join(', ')}.</p>
<h3>Body</h3>${bodyOf('Example', callback.requestBody.content as Content, resolve, 'required')}
${errorsOf(REFUSED)}
${FAILURES}
${CONCERNS}
<h2 id="owner">For the owner</h2><details id="of-owner"><summary>What the window calls, with the owner’s token and on this PC only</summary>
<nav aria-label="Calls of the owner">${owner.contents}</nav>${owner.sections}</details>
${schemasOf(document.components.schemas)}</main><script>${SEARCH}</script></body></html>`
}
