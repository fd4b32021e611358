import type { createOpenApi } from './openapi.ts'

type Document = ReturnType<typeof createOpenApi>
interface Operation {
  summary: string
  tags: string[]
  parameters: { name: string; in: string; description?: string }[]
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: { '200': { content?: Record<string, { schema?: unknown }> } }
}

const html = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)

const schemaBlock = (title: string, content: Record<string, { schema?: unknown }> | undefined): string => {
  const schema = content?.['application/json']?.schema
  if (schema === undefined) return ''
  return `<details><summary>${title}</summary><pre>${html(JSON.stringify(schema, null, 2))}</pre></details>`
}

function section(method: string, path: string, operation: Operation): string {
  const parameters = operation.parameters.map(
    (p) => `<li><code>${html(p.name)}</code> (${p.in})${p.description ? `: ${html(p.description)}` : ''}</li>`,
  )
  return `<section><h3><b>${method.toUpperCase()}</b> <code>${html(path)}</code></h3><p>${html(operation.summary)}</p>
${parameters.length > 0 ? `<ul>${parameters.join('')}</ul>` : ''}
${schemaBlock('Request', operation.requestBody?.content)}${schemaBlock('Answer', operation.responses['200'].content)}</section>`
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2430;background:#fff}
pre{background:#f3f4f6;padding:1rem;overflow:auto;font-size:13px}section{border-top:1px solid #d8dce3;padding:.5rem 0}
code{font-size:.95em}summary{cursor:pointer;padding:.25rem 0}
@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#14171c}pre{background:#1e232b}section{border-color:#333a45}}`

/** The interface as a plain page, without scripts. */
export function renderDocs(document: Document): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  )
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))]
  const groups = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag))
    return `<h2>${html(tag)}</h2>${own.map((o) => section(o.method, o.path, o.operation)).join('')}`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kurir API</title><style>${STYLE}</style></head><body><h1>Kurir API ${html(document.info.version)}</h1>
<p>${html(document.info.description)} Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
<p>Every call sends <code>Authorization: Bearer &lt;API_KEY&gt;</code>. Errors are
<code>{"success":false,"message":"…","error":{"code":"…"}}</code>. ${html(document.components.responses.Error.description)}</p>
${groups.join('')}</body></html>`
}
