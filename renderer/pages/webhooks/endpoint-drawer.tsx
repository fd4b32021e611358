import { Divider, Stack } from '@mantine/core'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { Drawer } from '../../components/drawer.tsx'
import { EndpointDanger } from './endpoint-danger.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { SecretSection } from './secret-section.tsx'

interface EndpointDrawerProps {
  endpoint: WebhookView
  onClose: () => void
}

export const EndpointDrawer = ({ endpoint, onClose }: EndpointDrawerProps) => (
  <Drawer title={<Address url={endpoint.url} />} onClose={onClose}>
    <Stack gap="lg">
      <EndpointStatus endpoint={endpoint} />
      <Divider />
      <EndpointForm endpoint={endpoint} />
      <Divider />
      <SecretSection id={endpoint.id} />
      <Divider />
      <EndpointDanger endpoint={endpoint} onDeleted={onClose} />
    </Stack>
  </Drawer>
)

const Address = ({ url }: { url: string }) => (
  <span title={url} style={{ display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }}>
    {url.replace(/^https?:\/\//, '')}
  </span>
)
