import { Divider, Stack } from '@mantine/core'
import type { WebhookView } from '../../../server/contract/webhooks.ts'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'
import { shortUrl } from '../../model/endpoint-health.ts'
import { EndpointDanger } from './endpoint-danger.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { EndpointStatus } from './endpoint-status.tsx'
import { SecretSection } from './secret-section.tsx'

interface EndpointDrawerProps extends DrawerFrame {
  endpoint: WebhookView
}

export const EndpointDrawer = ({ endpoint, ...frame }: EndpointDrawerProps) => (
  <Drawer {...frame} title={shortUrl(endpoint.url)}>
    <Stack gap="lg">
      <EndpointStatus endpoint={endpoint} />
      <Divider />
      <EndpointForm endpoint={endpoint} />
      <Divider />
      <SecretSection id={endpoint.id} format={endpoint.format} />
      <Divider />
      <EndpointDanger endpoint={endpoint} />
    </Stack>
  </Drawer>
)
