import { Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconServer2 } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { NodeView } from '../../../server/contract/operation.ts'
import { useForgetNode, useNodes } from '../../api/nodes.ts'
import { BusyButton } from '../../components/busy-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { ErrorState } from '../../components/error-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { StatusBadge, type StatusLook } from '../../components/status-badge.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { useFormat } from '../../hooks/use-format.ts'

const ALIVE: StatusLook = { icon: IconCircleCheck, tone: 'good' }
const GONE: StatusLook = { icon: IconAlertTriangle, tone: 'warn' }

/** The nodes that share the database: which of them run, and which work each holds. */
export default function Nodes() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader title={t('nodes.title')} lead={t('nodes.lead')} />
      <QueryView query={useNodes()}>
        {(nodes) =>
          nodes.length === 0 ? (
            <EmptyState
              icon={<IconServer2 size={40} stroke={1.5} />}
              title={t('nodes.none')}
              hint={t('nodes.noneHint')}
            />
          ) : (
            <Stack gap="lg">
              {nodes.map((node) => (
                <NodePanel key={node.name} node={node} />
              ))}
            </Stack>
          )
        }
      </QueryView>
    </>
  )
}

function NodePanel({ node }: { node: NodeView }) {
  const { t } = useTranslation()
  const format = useFormat()
  const look = node.alive ? (
    <StatusBadge look={ALIVE} label={t('nodes.alive')} />
  ) : (
    <StatusBadge look={GONE} label={t('nodes.gone')} />
  )
  return (
    <Panel title={node.name} aside={look}>
      {node.this ? (
        <Text size="sm" c="dimmed" mb="sm">
          {t('nodes.here')}
        </Text>
      ) : null}
      {node.alive ? null : <Gone name={node.name} />}
      <Facts
        facts={[
          [t('nodes.senders'), format.number(node.senders)],
          [t('nodes.heard'), <TimeAgo key="heard" at={node.seen_at} />],
          [t('nodes.started'), <TimeAgo key="started" at={node.started_at} />],
          [t('nodes.version'), node.version],
          [t('nodes.address'), node.url],
          [t('nodes.takenOver'), format.number(node.taken_over)],
          [t('nodes.fenced'), format.number(node.fenced)],
        ]}
      />
    </Panel>
  )
}

function Gone({ name }: { name: string }) {
  const { t } = useTranslation()
  const forget = useForgetNode()
  return (
    <Stack gap="sm" mb="sm">
      <Text size="sm" c="dimmed">
        {t('nodes.goneLead')}
      </Text>
      {forget.error === null ? null : <ErrorState error={forget.error} />}
      <Group>
        <BusyButton
          size="xs"
          variant="default"
          busy={forget.isPending}
          aria-label={`${t('nodes.forget')}: ${name}`}
          onClick={() => forget.mutate(name)}
        >
          {t('nodes.forget')}
        </BusyButton>
      </Group>
    </Stack>
  )
}
