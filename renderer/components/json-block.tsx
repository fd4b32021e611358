import { Code, Group, Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

interface JsonBlockProps {
  label: string
  value: unknown
}

export function JsonBlock({ label, value }: JsonBlockProps) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <div>
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <CopyButton compact value={text} />
      </Group>
      <Code block tabIndex={0} aria-label={label} mah={240}>
        {text}
      </Code>
    </div>
  )
}
