import { can, type Permission } from '@lis/contract/access/permissions.ts'
import Button from '@mui/material/Button'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'
import { DeniedButton } from '../denied-button.tsx'
import { PlusIcon } from '../table/table-icons.tsx'

export interface CreateAction {
  href: string
  permission: Permission
  /** Users without the permission see the button disabled, with this tooltip. */
  deniedText?: string
}

interface CreateButtonProps extends CreateAction {
  /** Icon only, for phones. */
  isCompact?: boolean
}

export const CreateButton = ({ href, permission, deniedText, isCompact = false }: CreateButtonProps) => {
  const mayCreate = can(useRole(), permission)
  const buttonProps = {
    variant: 'contained',
    'aria-label': isCompact ? 'Create' : undefined,
    startIcon: isCompact ? undefined : <PlusIcon />,
    children: isCompact ? <PlusIcon /> : 'Create',
  } as const
  if (mayCreate)
    return <Button {...buttonProps} component={Link} to={href} sx={isCompact ? { minWidth: 44 } : undefined} />
  if (deniedText === undefined) return null
  return <DeniedButton {...buttonProps} reason={deniedText} />
}
