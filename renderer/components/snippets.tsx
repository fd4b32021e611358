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
  /** Put in literally; without one an environment variable is named. */
  apiKey?: string
}

/** One call in several languages, ready to copy. */
export const Snippets = ({ label, call, apiKey }: SnippetsProps) => (
  <CodeTabs
    label={label}
    samples={SNIPPET_LANGUAGES.map((language) => [NAMES[language], snippet(language, call, apiKey)])}
  />
)
