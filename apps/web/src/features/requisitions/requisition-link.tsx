import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useRole } from '../../lib/session.ts'

const Name = styled('span')({
  '&.strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '& a': { color: 'inherit', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } },
  '&:not(.strong) a': { color: 'var(--link)' },
})

/** Leads to the requisition for those who may open it from here; plain text for the others. */
export const RequisitionLink = ({
  row,
  isStrong = false,
  children,
}: {
  row: Pick<RequisitionRow, 'id'>
  isStrong?: boolean
  children: ReactNode
}) => {
  const role = useRole()
  return (
    <Name className={isStrong ? 'strong' : undefined}>
      {can(role, 'requisitions.link') ? <Link to={`/requisitions/${row.id}/show`}>{children}</Link> : children}
    </Name>
  )
}
