import { Code, Group, Tabs } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

interface CodeTabsProps {
  label: string
  /** Name and text of each sample. */
  samples: [name: string, text: string][]
}

/** Code samples to copy, each in its own tab. */
export const CodeTabs = ({ label, samples }: CodeTabsProps) => (
  <Tabs defaultValue={samples[0]?.[0] ?? ''}>
    <Tabs.List aria-label={label}>
      {samples.map(([name]) => (
        <Tabs.Tab key={name} value={name}>
          {name}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {samples.map(([name, text]) => (
      <Tabs.Panel key={name} value={name} pt="sm">
        <Code block mah={320} tabIndex={0} aria-label={`${label}: ${name}`}>
          {text}
        </Code>
        <Group justify="flex-end" mt="sm">
          <CopyButton value={text} />
        </Group>
      </Tabs.Panel>
    ))}
  </Tabs>
)
