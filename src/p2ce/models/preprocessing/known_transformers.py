"""The transformers that are supported in front of a model, one line each."""

from p2ce.models.preprocessing import containers, encoders
from p2ce.models.preprocessing import imputers as missing
from p2ce.models.preprocessing import scalers as numbers
from p2ce.models.preprocessing.fold import Follow

# By package, then by class name.
TRANSFORMERS: dict[str, dict[str, Follow]] = {
    "sklearn": {
        "Pipeline": containers.pipeline,
        "ColumnTransformer": containers.columns,
        "FeatureUnion": containers.union,
        "StandardScaler": numbers.scaler,
        "MinMaxScaler": numbers.scaler,
        "RobustScaler": numbers.scaler,
        "MaxAbsScaler": numbers.scaler,
        "KBinsDiscretizer": numbers.bins,
        "Binarizer": numbers.threshold,
        "FunctionTransformer": numbers.function,
        "SimpleImputer": missing.imputer,
        "MissingIndicator": missing.indicator,
        "OneHotEncoder": encoders.one_hot,
        "OrdinalEncoder": encoders.ordinal,
        "TargetEncoder": encoders.target,
    },
    "category_encoders": {
        "WOEEncoder": encoders.of_category_encoders,
        "TargetEncoder": encoders.of_category_encoders,
        "OrdinalEncoder": encoders.of_category_encoders,
    },
}
