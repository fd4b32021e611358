import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { IconChevronDown, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useUrlState } from '../hooks/use-url-state.ts'
import classes from './filter-chips.module.css'

export interface Filter {
  /** Name of the query parameter. */
  name: string
  label: string
  options: { value: string; label: ReactNode; text: string }[]
  /** True if several values may be chosen. The address has them separated by commas. */
  multiple?: boolean
}

/** Filters as chips. The address holds the chosen values. */
export function FilterChips({ filters }: { filters: Filter[] }) {
  const { t } = useTranslation()
  const [get, set] = useUrlState()
  const some = filters.some((filter) => get(filter.name) !== undefined)
  return (
    <Group gap="sm" className={classes.chips ?? ''}>
      {filters.map((filter) => (
        <Chip
          key={filter.name}
          filter={filter}
          chosen={get(filter.name)?.split(',') ?? []}
          choose={(values) => set({ [filter.name]: values.join(',') })}
        />
      ))}
      {some ? (
        <Button
          variant="subtle"
          size="xs"
          onClick={() => set(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          {t('actions.clear')}
        </Button>
      ) : null}
    </Group>
  )
}

interface ChipProps {
  filter: Filter
  chosen: string[]
  choose: (values: string[]) => void
}

function Chip({ filter, chosen, choose }: ChipProps) {
  const { t } = useTranslation()
  const names = chosen.map((value) => filter.options.find((option) => option.value === value)?.text ?? value)
  const set = chosen.length > 0
  return (
    <Menu position="bottom-start">
      <Button.Group>
        <Menu.Target>
          <Button
            size="xs"
            variant={set ? 'light' : 'default'}
            radius="xl"
            rightSection={set ? null : <IconChevronDown size={14} />}
          >
            {set ? `${filter.label}: ${names.join(', ')}` : filter.label}
          </Button>
        </Menu.Target>
        {set ? (
          <ActionIcon
            size={30}
            radius="xl"
            variant="light"
            aria-label={`${t('actions.remove')}: ${filter.label}`}
            onClick={() => choose([])}
          >
            <IconX size={14} />
          </ActionIcon>
        ) : null}
      </Button.Group>
      <Menu.Dropdown mah={360} style={{ overflow: 'auto' }}>
        {filter.multiple === true ? (
          <Menu.CheckboxGroup value={chosen} onChange={choose}>
            {filter.options.map(({ value, label }) => (
              <Menu.CheckboxItem key={value} value={value}>
                {label}
              </Menu.CheckboxItem>
            ))}
          </Menu.CheckboxGroup>
        ) : (
          <Menu.RadioGroup value={chosen[0] ?? null} onChange={(value) => choose([value])}>
            {filter.options.map(({ value, label }) => (
              <Menu.RadioItem key={value} value={value} closeMenuOnClick>
                {label}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
