import type { MessageRow } from '../../server/contract/messages.ts'

export interface ApiCall {
  url: string
  body: Record<string, unknown>
}

export const SNIPPET_LANGUAGES = ['curl', 'cmd', 'powershell', 'php', 'javascript', 'python'] as const
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number]

/** Returns the call that would send this message again. */
export function callOf(row: MessageRow, apiUrl: string): ApiCall {
  const { sender_code, recipient: phone, reference_id, metadata, template, purpose } = row
  const common = {
    sender_code,
    phone,
    ...(reference_id === null ? {} : { reference_id }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    // Without the purpose, a customer who opted out of marketing would get the message.
    ...(purpose === 'marketing' ? { purpose } : {}),
  }
  if (template === null) {
    const content = { message: row.message ?? '', ...(row.file === null ? {} : { file: row.file }) }
    return { url: `${apiUrl}/send`, body: { ...common, ...content } }
  }
  const { name: template_name, language, components } = template
  return { url: `${apiUrl}/waba/send-template`, body: { ...common, template_name, language, components } }
}

/**
 * Returns the call in a language, ready to paste. All texts in it are escaped.
 * @param key undefined: the code reads the environment variable `KURIR_KEY`
 */
export const snippet = (language: SnippetLanguage, call: ApiCall, key?: string): string =>
  WRITERS[language](call, key).join('\n')

const WRITERS: Record<SnippetLanguage, (call: ApiCall, key: string | undefined) => string[]> = {
  curl: ({ url, body }, key = '$KURIR_KEY') => [
    `curl ${url} \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ],
  cmd: ({ url, body }, key = '%KURIR_KEY%') => [
    `curl ${url} ^`,
    `  -H "Authorization: Bearer ${key}" ^`,
    '  -H "Content-Type: application/json" ^',
    `  -d "${plainJson(body).replaceAll('"', '\\"')}"`,
  ],
  powershell: ({ url, body }, key = '$env:KURIR_KEY') => [
    // A here-string replaces nothing. It ends at a line that begins with '@, which no line of JSON
    // does.
    "$body = @'",
    JSON.stringify(body, null, 2),
    "'@",
    `Invoke-RestMethod -Method Post -Uri '${url}' \``,
    `  -Headers @{ Authorization = "Bearer ${key}" } -ContentType 'application/json' \``,
    '  -Body ([Text.Encoding]::UTF8.GetBytes($body))',
  ],
  // Without the curl extension, which not every PHP has.
  php: ({ url, body }, key) => [
    '<?php',
    "$body = <<<'JSON'",
    JSON.stringify(body, null, 2),
    'JSON;',
    `$key = ${key === undefined ? "getenv('KURIR_KEY')" : `'${key}'`};`,
    `echo file_get_contents('${url}', false, stream_context_create(['http' => [`,
    "  'method' => 'POST',",
    '  \'header\' => "Authorization: Bearer $key\\r\\nContent-Type: application/json",',
    "  'content' => $body,",
    "  'ignore_errors' => true,",
    ']]));',
  ],
  javascript: ({ url, body }, key) => [
    `const response = await fetch('${url}', {`,
    "  method: 'POST',",
    '  headers: {',
    `    Authorization: ${key === undefined ? "'Bearer ' + process.env.KURIR_KEY" : `'Bearer ${key}'`},`,
    "    'Content-Type': 'application/json',",
    '  },',
    `  body: JSON.stringify(${objectLiteral(body).replaceAll('\n', '\n  ')}),`,
    '})',
    'console.log(await response.json())',
  ],
  python: ({ url, body }, key) => [
    'import os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${url}",`,
    // A raw string keeps the backslashes of JSON. Three quotes in a row would end it.
    `    data=r'''${JSON.stringify(body, null, 2).replaceAll("'", '\\u0027')}'''.encode(),`,
    `    headers={"Authorization": "Bearer " + ${key === undefined ? 'os.environ["KURIR_KEY"]' : `"${key}"`}, "Content-Type": "application/json"},`,
    ')',
    'print(urllib.request.urlopen(request).read().decode())',
  ],
}

/** Writes JSON as a JavaScript literal, where `"__proto__":` must be a computed name. */
const objectLiteral = (body: unknown) =>
  JSON.stringify(body, null, 2).replaceAll(/(?<!\\)"__proto__":/g, '["__proto__"]:')

/**
 * Writes JSON with `\u…` for every character that cmd.exe, its codepage or a batch file could
 * change: cmd takes `\"` for the end of a text, and reads the following characters as its own.
 */
function plainJson(value: unknown): string {
  if (typeof value === 'string') return `"${[...value].map(plainCharacter).join('')}"`
  if (Array.isArray(value)) return `[${value.map(plainJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${plainJson(name)}:${plainJson(member)}`).join(',')}}`
}

const plainCharacter = (character: string): string =>
  /[\w .,:/+-]/.test(character)
    ? character
    : character
        .split('')
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('')
