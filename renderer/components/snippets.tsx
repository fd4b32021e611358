import { type ApiCall, SNIPPET_LANGUAGES, type SnippetLanguage, snippet } from '../model/snippets.ts'
import { CodeTabs } from './code-tabs.tsx'

const NAMES: Record<SnippetLanguage, string> = {
  curl: 'curl',
  cmd: 'cmd.exe',
  powershell: 'PowerShell',
  php: 'PHP',
  javascript: 'JavaScript',
  python: 'Python',
}

interface SnippetsProps {
  label: string
  call: ApiCall
  /** Key to write into the code. Absent: the code reads an environment variable. */
  apiKey?: string
}

export const Snippets = ({ label, call, apiKey }: SnippetsProps) => (
  <CodeTabs
    label={label}
    samples={SNIPPET_LANGUAGES.map((language) => [NAMES[language], snippet(language, call, apiKey)])}
  />
)
