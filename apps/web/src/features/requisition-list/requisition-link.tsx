import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { type ApiView, requisitionViews, viewFor } from '@lis/contract/requisitions/views.ts'
import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { cachedList, rememberList } from '../../domain/list-position.ts'
import { useRole } from '../../lib/session.ts'

const Name = styled('span')({
  '&.strong': { fontWeight: 600, color: 'var(--text-strong)' },
  '& a': { color: 'inherit', textDecoration: 'none', '&:hover': { textDecoration: 'underline' } },
  '&:not(.strong) a': { color: 'var(--link)' },
})

/** Links to the requisition for users who may open it; plain text for others. */
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
  const client = useQueryClient()
  const [params] = useSearchParams()
  const remember = () => {
    const { api } = requisitionViews[viewFor(params.get('status'), role)]
    const search = params.size > 0 ? `?${params}` : ''
    const list = api && cachedList(client, api as ApiView, search)
    if (list) rememberList(list)
  }
  return (
    <Name className={isStrong ? 'strong' : undefined}>
      {can(role, 'requisitions.link') ? (
        <Link to={`/requisitions/${row.id}/show`} onClick={remember}>
          {children}
        </Link>
      ) : (
        children
      )}
    </Name>
  )
}
