import type { MessageRow } from '../../server/contract/messages.ts'

/** A call that a program makes. The key is never known here: snippets name the variable that holds it. */
export interface ApiCall {
  url: string
  body: Record<string, unknown>
}

export const SNIPPET_LANGUAGES = ['curl', 'php', 'javascript', 'python'] as const
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number]

/** The call that would make this message again. */
export function callOf(row: MessageRow, apiUrl: string): ApiCall {
  const { sender_code, recipient: phone, reference_id, metadata, template } = row
  const common = {
    sender_code,
    phone,
    ...(reference_id === null ? {} : { reference_id }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  }
  if (template === null) {
    const content = { message: row.message ?? '', ...(row.file === null ? {} : { file: row.file }) }
    return { url: `${apiUrl}/send`, body: { ...common, ...content } }
  }
  const { name: template_name, language, components } = template
  return { url: `${apiUrl}/waba/send-template`, body: { ...common, template_name, language, components } }
}

/** Ready to paste. `key` is put in literally when given, else an environment variable is named. */
export function snippet(language: SnippetLanguage, { url, body }: ApiCall, key?: string): string {
  const json = JSON.stringify(body, null, 2)
  switch (language) {
    case 'curl':
      return [
        `curl ${url} \\`,
        `  -H "Authorization: Bearer ${key ?? '$KURIR_KEY'}" \\`,
        '  -H "Content-Type: application/json" \\',
        `  -d ${shellQuoted(JSON.stringify(body))}`,
      ].join('\n')
    case 'php':
      return [
        '<?php',
        `$ch = curl_init('${url}');`,
        'curl_setopt_array($ch, [',
        '  CURLOPT_RETURNTRANSFER => true,',
        `  CURLOPT_HTTPHEADER => ['Authorization: Bearer ' . ${key === undefined ? "getenv('KURIR_KEY')" : `'${key}'`}, 'Content-Type: application/json'],`,
        `  CURLOPT_POSTFIELDS => <<<'JSON'`,
        `${json}`,
        'JSON,',
        ']);',
        'echo curl_exec($ch);',
      ].join('\n')
    case 'javascript':
      return [
        `const response = await fetch('${url}', {`,
        "  method: 'POST',",
        '  headers: {',
        `    Authorization: ${key === undefined ? "'Bearer ' + process.env.KURIR_KEY" : `'Bearer ${key}'`},`,
        "    'Content-Type': 'application/json',",
        '  },',
        `  body: JSON.stringify(${indented(json)}),`,
        '})',
        'console.log(await response.json())',
      ].join('\n')
    case 'python':
      return [
        'import os, urllib.request',
        '',
        'request = urllib.request.Request(',
        `    "${url}",`,
        `    data=r'''${json}'''.encode(),`,
        `    headers={"Authorization": ${key === undefined ? '"Bearer " + os.environ["KURIR_KEY"]' : `"Bearer ${key}"`}, "Content-Type": "application/json"},`,
        ')',
        'print(urllib.request.urlopen(request).read().decode())',
      ].join('\n')
  }
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const indented = (text: string) => text.replaceAll('\n', '\n  ')
