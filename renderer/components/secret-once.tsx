import { Alert, Code, Group } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { CopyButton } from './copy-button.tsx'

interface SecretOnceProps {
  label: string
  /** Says that it is shown only now. */
  note: string
  secret: string
}

/** A secret right after it was made. */
export const SecretOnce = ({ label, note, secret }: SecretOnceProps) => (
  <Alert variant="light" icon={<IconKey size={20} />} title={note}>
    <Group gap="sm" wrap="nowrap">
      <Code aria-label={label} style={{ overflowWrap: 'anywhere' }}>
        {secret}
      </Code>
      <CopyButton value={secret} />
    </Group>
  </Alert>
)
