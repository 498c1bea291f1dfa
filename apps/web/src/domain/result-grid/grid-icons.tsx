import { lineIcon } from '../../ui/icons.tsx'

export const FormulaIcon = lineIcon(
  'M9.5 2.5c-2.5-.5-2.5 1.5-2.8 3.5l-.9 5.5c-.2 1.6-.8 2.3-2.3 2M4.5 6.5h5M10 9l4 4.5M14 9l-4 4.5',
)
export const TriangleIcon = lineIcon('M8 3.5 13.5 12.5h-11z')
export const DiamondIcon = lineIcon('M8 2.5 13.5 8 8 13.5 2.5 8z')
export const PencilIcon = lineIcon('M10.5 2.8l2.7 2.7L5.5 13.2l-3.2.5.5-3.2zM9 4.3 11.7 7')
