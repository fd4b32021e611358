import { Anchor, Code, Group, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { useDelivery } from '../../api/deliveries.ts'
import { DeliveryDetail } from '../../components/delivery-detail.tsx'
import { DeliveryState } from '../../components/delivery-state.tsx'
import { Drawer, type DrawerFrame } from '../../components/drawer.tsx'

interface DeliveryDrawerProps extends DrawerFrame {
  id: string
}

export function DeliveryDrawer({ id, ...frame }: DeliveryDrawerProps) {
  const { t } = useTranslation()
  const { data } = useDelivery(id)
  const title = data === undefined ? t('webhooks.deliveries.title') : t(`webhooks.event.${data.event}`)
  return (
    <Drawer {...frame} title={title}>
      <Stack gap="md">
        {data === undefined ? null : (
          <Group gap="md">
            <DeliveryState state={data.state} />
            <Code>{data.event}</Code>
            {data.message_id === null ? null : (
              <Anchor component={Link} size="sm" href={`/messages?open=${data.message_id}`}>
                {t('webhooks.deliveries.message')}
              </Anchor>
            )}
          </Group>
        )}
        <DeliveryDetail id={id} />
      </Stack>
    </Drawer>
  )
}
