import type { createOpenApi } from './openapi.ts'

type Document = ReturnType<typeof createOpenApi>
interface Media {
  schema?: unknown
  example?: unknown
}
type Content = Record<string, Media> | undefined
interface Operation {
  summary: string
  description?: string
  tags: string[]
  operationId: string
  security: Record<string, unknown>[]
  parameters: {
    name: string
    in: string
    required: boolean
    description?: string
    schema: { type?: unknown; enum?: unknown }
  }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media>; $ref?: string }>
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
  `<pre>${html(JSON.stringify(value, null, 2)).replace(REF, '<a href="#schema-$1">$1</a>')}</pre>`

const KEYS: Record<string, string> = { apiKey: 'an API key', ownerToken: 'the owner’s token, on this PC' }
const keyFor = ({ security }: Operation): string =>
  security.length === 0
    ? 'Needs no key.'
    : `Needs ${security
        .flatMap(Object.keys)
        .map((name) => KEYS[name])
        .join(' or ')}.`

const typeOf = ({ type, enum: allowed }: { type?: unknown; enum?: unknown }): string =>
  Array.isArray(allowed) ? allowed.join(', ') : Array.isArray(type) ? type.join(' or ') : String(type ?? '')

function parametersOf({ parameters }: Operation): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(
    (each) =>
      `<tr><td><code>${html(each.name)}</code></td><td>${html(each.in)}${each.required ? ', required' : ''}</td><td>${html(typeOf(each.schema))}</td><td>${prose(each.description ?? '')}</td></tr>`,
  )
  return `<table><tr><th>parameter</th><th>in</th><th>type</th><th></th></tr>${rows.join('')}</table>`
}

function bodyOf(title: string, content: Content): string {
  const { schema, example } = content?.['application/json'] ?? {}
  if (schema === undefined) return ''
  return `<h4>${title}</h4>${block(example)}<details><summary>Every member (JSON Schema)</summary>${block(schema)}</details>`
}

const idOf = ({ operation }: Route): string => operation.operationId

function section(route: Route): string {
  const { method, path, operation } = route
  const errors = Object.keys(operation.responses).filter((status) => Number(status) >= 400)
  const links = errors.map((status) => `<a href="#error-${status}">${status}</a>`).join(', ')
  return `<section id="${idOf(route)}"><h3><b>${method.toUpperCase()}</b> <code>${html(path)}</code></h3>
<p>${prose(operation.summary)}. ${keyFor(operation)}</p>
${operation.description === undefined ? '' : `<p>${prose(operation.description)}</p>`}
${parametersOf(operation)}${bodyOf('Request', operation.requestBody?.content)}${bodyOf('Answer', operation.responses['200']?.content)}
${links === '' ? '' : `<p>Errors: ${links}.</p>`}</section>`
}

interface ErrorResponse {
  description: string
  content: { 'application/json': { examples?: Record<string, { value: unknown }> } }
}

function errorsOf(responses: Record<string, ErrorResponse>): string {
  const rows = Object.entries(responses).flatMap(([name, { description, content }]) => {
    const status = /^Error(\d+)$/.exec(name)?.[1]
    const [first] = Object.values(content['application/json'].examples ?? {})
    return status === undefined
      ? []
      : [`<h3 id="error-${status}">${status}</h3><p>${prose(description)}</p>${block(first?.value)}`]
  })
  return `<h2 id="errors">Errors</h2><p>Decide by <code>error.code</code>; <code>message</code> is for people.</p>${rows.join('')}`
}

function schemasOf(schemas: Record<string, unknown>): string {
  const each = Object.entries(schemas).map(
    ([name, schema]) =>
      `<details><summary><code>${html(name)}</code></summary><div id="schema-${html(name)}">${block(schema)}</div></details>`,
  )
  return `<h2 id="schemas">Schemas</h2>${each.join('')}`
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2430;background:#fff}
pre{background:#f3f4f6;padding:1rem;overflow:auto;font-size:13px}section{border-top:1px solid #d8dce3;padding:.5rem 0}
code{font-size:.95em}summary{cursor:pointer;padding:.25rem 0}table{border-collapse:collapse;font-size:14px}td,th{text-align:left;padding:.15rem .75rem .15rem 0;vertical-align:top}
nav ul{columns:2;font-size:14px;list-style:none;padding:0}h4{margin:.75rem 0 .25rem}
@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#14171c}pre{background:#1e232b}section{border-color:#333a45}a{color:#8ab4f8}}`

/** The interface as a plain page, without scripts. */
export function renderDocs(document: Document): string {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Route => ({ path, method, operation: operation as Operation })),
  )
  const ofTag = (tag: string) => routes.filter(({ operation }) => operation.tags.includes(tag))
  const contents = document.tags.map(({ name }) => {
    const links = ofTag(name).map(
      (route) => `<li><a href="#${idOf(route)}">${route.method.toUpperCase()} ${html(route.path)}</a></li>`,
    )
    return `<h4>${html(name)}</h4><ul>${links.join('')}</ul>`
  })
  const { post: callback } = document.webhooks.callback
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kurir API</title><style>${STYLE}</style></head><body><h1>Kurir API ${html(document.info.version)}</h1>
<p>${prose(document.info.description)} Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
<p>Programs send <code>Authorization: Bearer &lt;API_KEY&gt;</code>; a key is made in the window. What begins with <code>/api/</code> is the window’s and needs the
owner’s token. See also the <a href="#callback">callback</a> the <a href="#errors">errors</a> and the <a href="#schemas">schemas</a>.</p>
<nav>${contents.join('')}</nav>
${document.tags.map(({ name, description }) => `<h2>${html(name)}</h2><p>${prose(description)}</p>${ofTag(name).map(section).join('')}`).join('')}
<h2 id="callback">Callback</h2><p>${prose(callback.summary)}: headers ${callback.parameters.map(({ name }) => `<code>${name}</code>`).join(', ')}.</p>
${bodyOf('Body', callback.requestBody.content)}
${errorsOf(document.components.responses as unknown as Record<string, ErrorResponse>)}
${schemasOf(document.components.schemas)}</body></html>`
}
