import type { NodeView } from '../contract/nodes.ts'
import type { Client } from './client.ts'
import { type Output, table } from './output.ts'

export async function listNodes(client: Client, out: Output): Promise<void> {
  const nodes = await client.call<NodeView[]>('/api/nodes')
  await out.print(nodes, () =>
    nodes.length === 0
      ? 'There are no nodes: this Kurir keeps everything in its own data folder.'
      : table(
          ['NODE', 'STATE', 'SENDERS', 'TAKEN OVER', 'FENCED', 'VERSION', 'SEEN', 'ADDRESS'],
          nodes.map((node) => [
            node.this ? `${node.name} *` : node.name,
            node.alive ? 'alive' : 'gone',
            String(node.senders),
            String(node.taken_over),
            String(node.fenced),
            node.version,
            node.seen_at,
            node.url,
          ]),
        ),
  )
}

export async function forgetNode(client: Client, out: Output, name: string): Promise<void> {
  await client.call(`/api/nodes/${encodeURIComponent(name)}`, { method: 'DELETE' })
  await out.print(
    { name, forgotten: true },
    () => `${name} is out of the list. When it starts again, it is in it again.`,
  )
}
