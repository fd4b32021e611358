import { Code, Tabs } from '@mantine/core'
import { type ApiCall, SNIPPET_LANGUAGES, type SnippetLanguage, snippet } from '../lib/snippets.ts'
import { CopyButton } from './copy-button.tsx'

const NAMES: Record<SnippetLanguage, string> = { curl: 'curl', php: 'PHP', javascript: 'JavaScript', python: 'Python' }

interface SnippetsProps {
  call: ApiCall
  /** Put in literally; without one an environment variable is named. */
  apiKey?: string
}

/** One call in four languages, ready to copy. */
export const Snippets = ({ call, apiKey }: SnippetsProps) => (
  <Tabs defaultValue="curl">
    <Tabs.List>
      {SNIPPET_LANGUAGES.map((language) => (
        <Tabs.Tab key={language} value={language}>
          {NAMES[language]}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {SNIPPET_LANGUAGES.map((language) => {
      const text = snippet(language, call, apiKey)
      return (
        <Tabs.Panel key={language} value={language} pt="sm" pos="relative">
          <Code block tabIndex={0} aria-label={NAMES[language]} mah={280} style={{ overflow: 'auto' }}>
            {text}
          </Code>
          <div style={{ position: 'absolute', top: 16, right: 8 }}>
            <CopyButton value={text} />
          </div>
        </Tabs.Panel>
      )
    })}
  </Tabs>
)
