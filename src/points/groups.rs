//! Groups of points: the data sets that the HDP clusters together.

use super::PointsError;
use serde::{Deserialize, Serialize};

/// Assigns every point to one of the data sets `0..groups`.
///
/// ```
/// use lambdacut::points::Groups;
/// let groups = Groups::new(&[1, 0, 1], 3).unwrap();
/// assert_eq!((groups.len(), groups.members(1)), (2, &[0, 2][..]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct Groups {
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl TryFrom<Vec<u32>> for Groups {
    type Error = PointsError;
    fn try_from(of: Vec<u32>) -> Result<Self, PointsError> {
        Self::new(&of, of.len())
    }
}

impl From<Groups> for Vec<u32> {
    fn from(groups: Groups) -> Self {
        groups.of
    }
}

impl Groups {
    /// Takes the data set of each of the `points` points; data sets are numbered as given, those
    /// without points are empty.
    pub fn new(of: &[u32], points: usize) -> Result<Self, PointsError> {
        if of.len() != points {
            return Err(PointsError::Count {
                what: "groups",
                found: of.len(),
                points,
            });
        }
        let count = of.iter().max().map_or(0, |&j| j as usize + 1);
        if count > points {
            return Err(PointsError::Count {
                what: "group numbers",
                found: count,
                points,
            });
        }
        let mut members = vec![Vec::new(); count];
        for (i, &j) in of.iter().enumerate() {
            members[j as usize].push(i as u32);
        }
        Ok(Self {
            of: of.to_vec(),
            members,
        })
    }

    /// All points in one data set.
    pub fn one(points: usize) -> Self {
        Self {
            of: vec![0; points],
            members: vec![(0..points as u32).collect()],
        }
    }

    /// The number of data sets D.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no data set.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The data set of point `i`.
    pub fn of(&self, i: usize) -> usize {
        self.of[i] as usize
    }

    /// The data set of every point.
    pub fn as_slice(&self) -> &[u32] {
        &self.of
    }

    /// The points of data set `j`, ascending.
    pub fn members(&self, j: usize) -> &[u32] {
        &self.members[j]
    }
}
