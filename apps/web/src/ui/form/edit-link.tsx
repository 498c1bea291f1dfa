import Button, { type ButtonProps } from '@mui/material/Button'
import { useEffect, useRef } from 'react'
import { Link, useLocation, useNavigate, useNavigationType } from 'react-router'
import { isFocusLost } from '../keep-focus.ts'

const afterEditing = { isAfterEditing: true }

/** Returns from a record's edit page to its show page, with the focus on 'Edit'. */
export const useBackToRecord = (page: string) => {
  const navigate = useNavigate()
  return ({ replace = false } = {}) => navigate(page, { replace, state: afterEditing })
}

/** Link from a record's show page to its edit page. */
export const EditLink = ({ to, ...props }: Pick<ButtonProps, 'variant' | 'color'> & { to: string }) => {
  const ref = useRef<HTMLAnchorElement>(null)
  const { state } = useLocation()
  // A reload or history navigation has the same state again.
  const isBack =
    useNavigationType() !== 'POP' && (state as Partial<typeof afterEditing> | null)?.isAfterEditing === true
  useEffect(() => {
    if (isBack && isFocusLost()) ref.current?.focus()
  }, [isBack])
  return (
    <Button {...props} component={Link} to={to} ref={ref}>
      Edit
    </Button>
  )
}
