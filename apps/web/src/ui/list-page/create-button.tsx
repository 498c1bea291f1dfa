import { can, type Permission } from '@lis/contract/access/permissions.ts'
import Button from '@mui/material/Button'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { DeniedButton } from '../denied-button.tsx'
import { PlusIcon } from '../table/table-icons.tsx'

export interface CreateAction {
  href: string
  permission: Permission
  /** Who may not sees the button all the same, and this when pointing at it. */
  deniedText?: string
}

interface CreateButtonProps extends CreateAction {
  /** The sign alone, for phones. */
  isCompact?: boolean
}

/** The page's main action. */
export const CreateButton = ({ href, permission, deniedText, isCompact = false }: CreateButtonProps) => {
  const mayCreate = can(useRole(), permission)
  const look = {
    variant: 'contained',
    'aria-label': isCompact ? 'Create' : undefined,
    startIcon: isCompact ? undefined : <PlusIcon />,
    children: isCompact ? <PlusIcon /> : 'Create',
  } as const
  if (mayCreate) return <Button {...look} component={Link} to={href} sx={isCompact ? { minWidth: 44 } : undefined} />
  if (deniedText === undefined) return null
  return <DeniedButton {...look} reason={deniedText} />
}
